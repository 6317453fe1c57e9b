/** One rule of the classifier: which line shows the failure, what it is, and what a person would do. */
import type { ErrorCategory } from '../../events/records.ts';

/**
 * Rules look at messages, one line at a time, never at the command or at the place where the source lies, and
 * no rule names a package. The first rule that has a line wins, whatever the order of the lines.
 */
export interface FailureRule {
  /** `family.name`, for people and tests. */
  id: string;
  category: ErrorCategory;
  line: RegExp;
  /** A line that matches this one too does not count. */
  unless?: RegExp;
  /** The next step, as a sentence without its full stop. */
  action: string;
}
