/** What went wrong with one sending of a request, before it is explained to anybody. */
export type Problem =
  /** An answer with an error status, or an error reported inside of one; the status is null where none was told. */
  | {
      readonly kind: 'refused';
      readonly status: number | null;
      readonly bodyText: string;
      readonly retryAfterMs?: number | undefined;
      readonly requestId?: string | undefined;
    }
  /** No connection, or it broke. */
  | { readonly kind: 'connection'; readonly cause: unknown }
  /** The answer ended before it was finished, without a broken connection. */
  | { readonly kind: 'unfinished'; readonly detail: string }
  /** A web page. */
  | { readonly kind: 'html'; readonly bodyText: string }
  /** No JSON, or JSON of another shape. */
  | { readonly kind: 'unreadable'; readonly detail: string; readonly bodyText: string }
  /** An answer without choices. */
  | { readonly kind: 'empty'; readonly bodyText: string }
  /** More bytes than are accepted. */
  | { readonly kind: 'too-large'; readonly maxBytes: number };

/** Carries a {@link Problem} from where it is seen to where it is explained. Never leaves the package. */
export class AnswerProblem extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.kind);
    this.name = 'AnswerProblem';
    this.problem = problem;
  }
}
