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
    super(textOf(members, 'detail') || textOf(members, 'title') || 'It did not work.')
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
  new Problem(0, { code: 'unreachable', detail: 'Tidemark cannot be reached. Try again in a moment.' })

const trying = 'trying'

/** While a change is sent again by itself: what stood against it, and that it goes on. */
export function tryingAgain({ status }: Problem, waitMs: number): Problem {
  const detail =
    status === 429
      ? `It was refused for its pace. It is sent again by itself in ${secondsText(waitMs / 1000)}.`
      : 'No answer has come. It is sent again by itself for a while; however often, it is done once.'
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
  if (code === 'second_factor_required') return { title: 'A second factor is needed', advice: message }
  if (code !== 'forbidden' || !message.startsWith('This needs ')) return { title: 'This was refused', advice: message }
  return {
    title: 'Your role does not allow this',
    advice: `${message} An administrator of your organization can give it to you under members and roles.`,
  }
}

const unsureTexts = {
  once: 'It was sent, and no answer says what came of it; it is not sent again by itself any more. Try again: as long as nothing of it is changed, it is done once, however often it is sent.',
  alike:
    'It was sent, and no answer says what came of it; it is not sent again by itself. See whether it is so, or try again: that comes to the same.',
} as const

/** A heading and what to do, for a person. */
export function inWords(problem: Problem): { title: string; advice: string } {
  const { status, code, message, unsure } = problem
  if (isTrying(problem)) return { title: 'Not done yet', advice: message }
  if (unsure)
    return {
      title: 'It is not known whether this was done',
      advice: `${status === 0 ? 'Tidemark could not be reached.' : message} ${unsureTexts[unsure]}`,
    }
  if (status === 0) return { title: 'Not connected', advice: message }
  if (status === 403) return refusal(code, message)
  const title = titles[status] ?? (status >= 500 ? 'Tidemark has a problem' : 'It did not work')
  return { title, advice: adviceOf(problem) }
}

const titles: Readonly<Record<number, string>> = {
  400: 'This cannot be asked',
  401: 'Your session has ended',
  404: 'Not found',
  409: 'Not possible as things stand',
  422: 'This cannot be asked',
  429: 'Too many requests',
}

function adviceOf({ status, message, retryAfter }: Problem): string {
  if (status === 401) return 'Nothing was done. Once you have signed in, try it again.'
  if (status === 404) return `${message} It may have been deleted, or be another organization’s.`
  if (status === 429) return `${message} Nothing was done. Try again in ${secondsText(retryAfter ?? 1)}.`
  return status >= 500 ? `${message} Try again in a moment.` : message
}
