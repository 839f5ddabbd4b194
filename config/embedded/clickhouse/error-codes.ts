/** An error in the engine's words: clients read the code from the text. */
export function refusal(code: number, message: string): Error {
  return new Error(`Code: ${code}. DB::Exception: ${message}`)
}

/** Header of an answer to an analyst whose query ignored its time limit, so that the engine is being ended. */
export const OUTLIVED_HEADER = 'x-tidemark-outlived'

/** Error codes of the engine by HTTP status, as in its own HTTP interface. */
const codes: Readonly<Record<number, readonly number[]>> = {
  400: [6, 25, 26, 27, 36, 38, 41, 42, 43, 53, 62, 69, 72, 117, 184, 207, 215, 457],
  401: [516],
  403: [164, 497],
  404: [46, 47, 50, 60, 63, 73, 81, 115],
  413: [223],
  503: [202, 210],
}
const statuses = new Map(
  Object.entries(codes).flatMap(([status, some]) => some.map((code) => [code, Number(status)] as const)),
)

/** 500 for all other codes. */
export const statusOf = (code: number): number => statuses.get(code) ?? 500
