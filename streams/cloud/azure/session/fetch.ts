/** One request over HTTPS, whose answer is read to a bound. No redirect is followed: a token goes nowhere but where it is meant to. */
import { fetchOutside, type OutsideAnswer } from '#streams/delivery/outbound.ts'

/** Bytes of one answer. */
const answerMax = 64 * 2 ** 20
/** The caller's own limit is the same; this one also holds where there is no caller. */
const timeoutMs = 30_000

export interface Request {
  method: string
  headers: Readonly<Record<string, string>>
  body?: string | undefined
  signal: AbortSignal
  bytesMax?: number
  /** Stand-ins may be anywhere, and speak http: too. */
  isStandIn: boolean
  /** Whose connections are kept. */
  accountId: string
}

export type AzureAnswer = OutsideAnswer

/** @throws what `fetchOutside` throws, and the abort of the signal */
export async function fetchAnswer(url: string, asked: Request): Promise<AzureAnswer> {
  const { method, headers, body, signal, bytesMax = answerMax, isStandIn, accountId } = asked
  try {
    return await fetchOutside(url, {
      method,
      headers,
      timeoutMs,
      bytesMax,
      allowPrivate: isStandIn,
      signal,
      ...(body !== undefined && { body }),
      // A kept connection may send twice what finds it closed.
      ...(method === 'GET' && { keep: `azure ${accountId}` }),
    })
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
}
