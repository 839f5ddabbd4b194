/** An error as the engine words it: clients read the code from the text. */
export function refusal(code: number, message: string): Error {
  return new Error(`Code: ${code}. DB::Exception: ${message}`)
}
