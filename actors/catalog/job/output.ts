/** What a step may put out: it is stored with the job and shown to people. */

/** Maximum bytes as JSON. */
const bytesMax = 16 * 1024

/** False for text that stores refuse; they would refuse the whole report. */
const isClean = (value: unknown): boolean => {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, member]) => isClean(name) && isClean(member))
}

/** Why an output cannot be stored; undefined if it can. */
export function refusalOf(output: object): { code: string; message: string } | undefined {
  if (Buffer.byteLength(JSON.stringify(output)) > bytesMax)
    return { code: 'output_too_large', message: 'The output of the step is too large to store.' }
  if (!isClean(output))
    return { code: 'output_unclean', message: 'The output of the step contains characters that cannot be stored.' }
  return undefined
}
