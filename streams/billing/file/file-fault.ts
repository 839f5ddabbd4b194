import { Fault } from '#engine/value/fault.ts'

/**
 * Turns errors of the file system, zlib and the CSV parser into faults with readable messages; other errors are
 * returned unchanged.
 */
export function fileFault(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const text = error instanceof Error ? error.message : ''
  if (/^(ENOENT|EACCES|EISDIR|EPERM)$/.test(code))
    return Fault.invalid('file_unreadable', `The file cannot be read (${code}).`)
  if (code.startsWith('Z_')) return Fault.invalid('gzip_invalid', `The gzip data is corrupt or truncated: ${text}`)
  if (code.startsWith('CSV_')) return Fault.invalid('csv_invalid', `The CSV is invalid: ${text.slice(0, 200)}`)
  return error
}
