/**
 * Sends one HTTPS request and reads the answer up to a limit. Redirects are not followed, so that a token is only sent
 * to its destination.
 */
import { fetchOutside, type OutsideAnswer } from '#streams/delivery/outbound.ts'

/** Maximum bytes of one answer. */
const answerMax = 64 * 2 ** 20
/** Milliseconds; the same as the caller's limit, which may be missing. */
const timeoutMs = 30_000

export interface Request {
  method: string
  headers: Readonly<Record<string, string>>
  body?: string | Uint8Array | undefined
  signal: AbortSignal
  bytesMax?: number
  /** For stand-ins and the metadata service of this machine: any address, and http. */
  isInside: boolean
  /** The account whose kept connections are used. */
  accountId: string
}

export type AzureAnswer = OutsideAnswer

/** @throws as `fetchOutside`, or when the signal is aborted */
export async function fetchAnswer(url: string, asked: Request): Promise<AzureAnswer> {
  const { method, headers, body, signal, bytesMax = answerMax, isInside, accountId } = asked
  try {
    return await fetchOutside(url, {
      method,
      headers,
      timeoutMs,
      bytesMax,
      allowPrivate: isInside,
      signal,
      ...(body !== undefined && { body }),
      // A request on a kept connection may be repeated if the connection turns out to be closed.
      ...(method === 'GET' && { keep: `azure ${accountId}` }),
    })
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
}
