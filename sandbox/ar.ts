/** Being written. */
export {};
