/** What a failed call to a cloud is reported as. */
import { Fault } from '#engine/value/fault.ts'
import { bucketOf, type Bucket } from '#streams/cloud/connector.ts'

interface CallFailure {
  bucket: Bucket
  code: string
  message: string
  retryable: boolean
}

/** Errors of clouds have any length, and characters that stores refuse. */
export const cleanText = (text: string, lengthMax: number): string =>
  text.slice(0, lengthMax).toWellFormed().replaceAll('\0', ' ')

/** `temporary`: the codes of our own faults that may be retried, in addition to everything of the bucket `transient`. */
export function failureOf(error: unknown, temporary: readonly string[] = ['no_answer']): CallFailure {
  const { code, message } = Fault.from(error)
  const bucket = bucketOf(error)
  const retryable = bucket === 'transient' || temporary.includes(code)
  return { bucket, code: cleanText(code, 256), message: cleanText(message, 2000), retryable }
}

/** As actions and workflows report it. */
export function failedReport(error: unknown): { status: 'failed'; retryable: boolean; errorMessage: string } {
  const { retryable, message: errorMessage } = failureOf(error)
  return { status: 'failed', retryable, errorMessage }
}
