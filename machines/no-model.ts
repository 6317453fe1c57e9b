/** What a node says when it uses its deterministic fallback because there is no model to ask. */
export const noModelReason = 'no language model is configured';
