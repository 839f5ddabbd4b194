/** The one client of the API: renews its token, waits where it is told to, and tries again what nothing answered. */
import { computed, signal } from '@preact/signals'
import { addressOf, type Query } from './address.ts'
import { requestTogether } from './batch.ts'
import type { Operations, ReportMeta } from './operation.ts'
import { away, Problem, tryingAgain } from './problem.ts'
import { saveFile } from './save-file.ts'
import { bearer, endSession as sessionEnded, isFresh, isOver, lookAgain, renew, viewerKey } from './session.ts'

export type Operation = keyof Operations
export type Reply<O extends Operation> = Operations[O]['reply']
export type Meta = ReportMeta

export interface RequestOptions {
  params?: Readonly<Record<string, string>>
  query?: Query
  body?: unknown
  signal?: AbortSignal
  /** Whatever stands against it is told at once, not tried again. */
  isOnce?: boolean
  /** Of a change: told while it is sent again by itself. */
  onTrying?: (problem: Problem) => void
}

export interface ApiResponse<T> {
  data: T
  meta: Meta | undefined
  /** Of lists that come as pages and say it in a header: how many there are in all. */
  total: number | undefined
}

type Why = 'unreachable' | 'limited'

/** Questions that wait to be asked again, and why. */
const waitReasons = signal<ReadonlyMap<symbol, Why>>(new Map())

/** Why the page waits, if any part of it does: shown as a line above everything. */
export const waitReason = computed((): Why | '' => [...waitReasons.value.values()].toSorted().at(-1) ?? '')

function hold(asking: symbol, why?: Why): void {
  if (why === undefined && !waitReasons.value.has(asking)) return
  const next = new Map(waitReasons.value)
  if (why === undefined) next.delete(asking)
  else next.set(asking, why)
  waitReasons.value = next
}

let pendingCount = 0
/** Whether anything is being asked. */
export const isAsking = (): boolean => pendingCount > 0

/** Tries of a question that nothing answered, and pauses between them, milliseconds. */
const pauses = [300, 700, 1500, 3000, 5000, 5000, 5000, 5000, 5000, 5000]
/** The longest that is waited because the API says so. */
const waitMaxMs = 60_000

function pause(ms: number, over?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    over?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(over.reason as Error)
    })
  })
}

const isAway = (error: unknown): error is Problem =>
  error instanceof Problem &&
  (error.status === 0 || error.status === 502 || error.status === 503 || error.status === 504)

/** A name for a change. Pages that came without TLS have no `randomUUID`. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Posts that change nothing. */
const questions =
  /\/(preview|preview-readiness|cost-preview|estimate|next-runs|by-uids|export|what-if|validations|graphql)$/

export const isChange = (operation: string): boolean => !operation.startsWith('GET ') && !questions.test(operation)

/** Names of changes whose outcome is not known, by what was asked for: sent again they are the same ones. */
const unconfirmedKeys = new Map<string, string>()
const unconfirmedMax = 50

function remember(asked: string, key: string | undefined): void {
  unconfirmedKeys.delete(asked)
  if (key !== undefined) unconfirmedKeys.set(asked, key)
  if (unconfirmedKeys.size > unconfirmedMax) unconfirmedKeys.delete(unconfirmedKeys.keys().next().value!)
}

/** It may have been done: nothing answered, or something broke on the way. */
const isUnknown = (error: unknown): boolean => isAway(error) || (error instanceof Problem && error.status >= 500)

/** How long to wait before it is asked again, milliseconds; undefined where it is not. */
function waitOf(error: unknown, tried: number, mayRepeat: boolean): number | undefined {
  if (!(error instanceof Problem) || tried >= pauses.length) return undefined
  if (error.status === 429) return Math.min(waitMaxMs, (error.retryAfter ?? 1) * 1000)
  return mayRepeat && isAway(error) ? pauses[tried] : undefined
}

/**
 * Asks once more while nothing answers; a change only where it has a key, so that it happens once. Until its answer has come
 * the same change has the same key, whoever sends it again.
 * @throws Problem
 */
export async function ask<O extends Operation>(
  operation: O,
  given: RequestOptions = {},
): Promise<ApiResponse<Reply<O>>> {
  const waits = Symbol(operation)
  pendingCount++
  try {
    return await askWithRetries(operation, given, waits)
  } finally {
    pendingCount--
    hold(waits)
  }
}

async function askWithRetries<O extends Operation>(
  operation: O,
  given: RequestOptions,
  waits: symbol,
): Promise<ApiResponse<Reply<O>>> {
  const by = viewerKey()
  const asked = JSON.stringify([by, operation, given.params, given.query, given.body])
  const isKeyed = operation.startsWith('POST ')
  const mayRepeat = isKeyed || operation.startsWith('GET ')
  let isUnsure = unconfirmedKeys.has(asked)
  let key = isKeyed ? (unconfirmedKeys.get(asked) ?? newKey()) : undefined
  for (let times = 0; ; times++) {
    try {
      const answer = await once<Reply<O>>(operation, given, { key, by })
      remember(asked, undefined)
      return answer
    } catch (error) {
      isUnsure ||= isUnknown(error)
      const wait = given.isOnce ? undefined : waitOf(error, times, mayRepeat)
      if (wait === undefined) throw toFinalError(error, { operation, asked, key, isUnsure })
      // What was refused for its pace was not done: a refusal under a name is given again under it.
      if (isKeyed && !isUnsure) key = newKey()
      await waitForRetry(error as Problem, { operation, given, waits, wait })
      if (viewerKey() !== by) throw error
    }
  }
}

interface RetryWait {
  operation: string
  given: RequestOptions
  waits: symbol
  /** Milliseconds. */
  wait: number
}

function waitForRetry(problem: Problem, { operation, given, waits, wait }: RetryWait): Promise<void> {
  hold(waits, problem.status === 429 ? 'limited' : 'unreachable')
  if (isChange(operation)) given.onTrying?.(tryingAgain(problem, wait))
  return pause(wait, given.signal)
}

interface FailedRequest {
  operation: string
  asked: string
  key: string | undefined
  /** Whether one of its tries may have been carried out. */
  isUnsure: boolean
}

/** What is told at the end of a question or a change that was not answered well. */
function toFinalError(error: unknown, { operation, asked, key, isUnsure }: FailedRequest): unknown {
  const isOpen = isUnsure && (isUnknown(error) || (error as Problem).status === 429)
  remember(asked, isOpen ? key : undefined)
  if (error instanceof Problem && isOpen && isChange(operation)) error.unsure = key === undefined ? 'alike' : 'once'
  return error
}

interface Once {
  key: string | undefined
  /** Who asks: what one person has begun is not sent for another, who may have signed in meanwhile. */
  by: string
}

async function once<T>(operation: string, given: RequestOptions, { key, by }: Once): Promise<ApiResponse<T>> {
  // It would be refused; everything is asked again once somebody is signed in.
  if (isOver.value || !(await isFresh()) || viewerKey() !== by) throw new Problem(401, { code: 'unauthenticated' })
  const send = () =>
    operation.startsWith('GET ') ? sendTogether(operation, given) : sendRequest(operation, given, key)
  const first = await send()
  const isSame = first.status === 401 && (await renew()) && viewerKey() === by
  const response = isSame ? await send() : first
  if (response.ok) return answerOf<T>(response)
  if (response.status === 401 && viewerKey() === by) sessionEnded()
  if (response.status === 403) void lookAgain()
  throw await problemIn(response)
}

async function answerOf<T>(response: Response): Promise<ApiResponse<T>> {
  if (response.status === 204) return { data: undefined as T, meta: undefined, total: undefined }
  const body = (await response.json().catch(() => {
    throw away()
  })) as { data: T; meta?: Meta }
  const total = response.headers.get('X-Total-Count')
  // A few answers are what they say, without `data` around it.
  const data = 'data' in body ? body.data : (body as T)
  return { data, meta: body.meta, total: total === null ? undefined : Number(total) }
}

/** What an answer says that is none. */
export async function problemIn(response: Response): Promise<Problem> {
  const members = (await response.json().catch(() => ({}))) as Record<string, unknown>
  return new Problem(response.status, members, Number(response.headers.get('Retry-After')) || undefined)
}

const sendTogether = (operation: string, given: RequestOptions): Promise<Response> =>
  requestTogether({
    url: addressOf(operation, given.params, given.query),
    token: bearer(),
    signal: given.signal,
    alone: () => sendRequest(operation, given),
  })

/** The answer as it comes, for files and streams. @throws Problem when nothing answers */
export async function sendRequest(operation: string, given: RequestOptions, key?: string): Promise<Response> {
  const { params, query, body, signal: over } = given
  const [method = 'GET'] = operation.split(' ')
  return fetch(addressOf(operation, params, query), {
    method,
    headers: {
      Authorization: `Bearer ${bearer()}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(key !== undefined && { 'Idempotency-Key': key }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(over && { signal: over }),
  }).catch((error: unknown) => {
    if (over?.aborted) throw error
    throw away()
  })
}

/** Saves an answer as a file. @throws Problem */
export async function downloadFile(operation: string, given: RequestOptions, name: string): Promise<void> {
  await isFresh()
  const response = await sendRequest(operation, given)
  if (!response.ok) throw await problemIn(response)
  saveFile(await response.blob(), name)
}
