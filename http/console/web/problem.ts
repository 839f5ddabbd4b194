/** What the API says where it does not answer (RFC 9457), and what a person is told of it. */

export interface InputError {
  in: string
  name: string
  code: string
  message: string
}

export class Problem extends Error {
  readonly status: number
  readonly code: string
  readonly errors: readonly InputError[]
  readonly requestId: string
  /** Seconds after which it may be asked again. */
  readonly retryAfter: number | undefined
  /**
   * Of a change: nobody knows whether it was done. `once`: sent again as it is it is done once, however often; `alike`: sent
   * again it comes to the same.
   */
  unsure?: 'once' | 'alike'
  /** Members beside those of every problem, as they came. */
  readonly members: Readonly<Record<string, unknown>>

  constructor(status: number, members: Readonly<Record<string, unknown>>, retryAfter?: number) {
    super(textOf(members, 'detail') || textOf(members, 'title') || 'The request failed.')
    this.status = status
    this.code = textOf(members, 'code') || 'unknown'
    this.errors = Array.isArray(members['errors']) ? (members['errors'] as InputError[]) : []
    this.requestId = textOf(members, 'requestId')
    this.retryAfter = retryAfter
    this.members = members
  }

  /** A member beside those of every problem; empty where it is not there. */
  text(name: string): string {
    return textOf(this.members, name)
  }
}

const textOf = (members: Readonly<Record<string, unknown>>, name: string): string => {
  const value = members[name]
  return typeof value === 'string' ? value : ''
}

/** Nothing answers: the network, or a service that is starting. */
export const away = (): Problem =>
  new Problem(0, { code: 'unreachable', detail: 'Cannot reach Tidemark. Try again in a moment.' })

const trying = 'trying'

/** While a change is sent again by itself: what stood against it, and that it goes on. */
export function tryingAgain({ status }: Problem, waitMs: number): Problem {
  const detail =
    status === 429
      ? `Too many requests. Retrying in ${secondsText(waitMs / 1000)}.`
      : 'No response yet. Retrying for a while; the change is applied only once, however often it is sent.'
  return new Problem(status, { code: trying, detail })
}

export const isTrying = (problem: Problem | undefined): boolean => problem?.code === trying

const secondsText = (seconds: number): string => {
  const whole = Math.max(1, Math.ceil(seconds))
  return whole === 1 ? 'one second' : `${whole} seconds`
}

export const problemOf = (error: unknown): Problem =>
  error instanceof Problem
    ? error
    : new Problem(0, { code: 'failed', detail: error instanceof Error ? error.message : String(error) })

/** Of rights: which is missing, and who can give it. Other refusals say themselves what they are about. */
function refusal(code: string, message: string): { title: string; advice: string } {
  if (code === 'second_factor_required') return { title: 'A second factor is required', advice: message }
  if (code !== 'forbidden' || !/^This (?:needs|requires) /.test(message))
    return { title: 'This request was refused', advice: message }
  return {
    title: 'Your role does not allow this',
    advice: `${message} An administrator of your organization can grant it to you under Members.`,
  }
}

const unsureTexts = {
  once: 'The request was sent, but no response confirmed the result, and it is no longer retried automatically. Try again: as long as you change nothing, it is applied only once, however often it is sent.',
  alike:
    'The request was sent, but no response confirmed the result, and it is not retried automatically. Check the current state, or try again: repeating it has the same effect.',
} as const

/** A heading and what to do, for a person. */
export function inWords(problem: Problem): { title: string; advice: string } {
  const { status, code, message, unsure } = problem
  if (isTrying(problem)) return { title: 'Not done yet', advice: message }
  if (unsure)
    return {
      title: 'It is unclear whether this succeeded',
      advice: `${status === 0 ? 'Could not reach Tidemark.' : message} ${unsureTexts[unsure]}`,
    }
  if (status === 0) return { title: 'Not connected', advice: message }
  if (status === 403) return refusal(code, message)
  const title = titles[status] ?? (status >= 500 ? 'Server error' : 'The request failed')
  return { title, advice: adviceOf(problem) }
}

const titles: Readonly<Record<number, string>> = {
  400: 'Invalid request',
  401: 'Your session has ended',
  404: 'Not found',
  409: 'Not possible in the current state',
  422: 'Invalid request',
  429: 'Too many requests',
}

function adviceOf({ status, message, retryAfter }: Problem): string {
  if (status === 401) return 'Nothing was changed. Sign in, then try again.'
  if (status === 404) return `${message} It may have been deleted, or it may belong to another organization.`
  if (status === 429) return `${message} Nothing was changed. Try again in ${secondsText(retryAfter ?? 1)}.`
  return status >= 500 ? `${message} Try again in a moment.` : message
}
