/** An error as the engine words it: clients read the code from the text. */
export function refusal(code: number, message: string): Error {
  return new Error(`Code: ${code}. DB::Exception: ${message}`)
}

/** Of an answer to an analyst: the question worked on past its limit, and the engine is being ended for it. */
export const OUTLIVED_HEADER = 'x-tidemark-outlived'
