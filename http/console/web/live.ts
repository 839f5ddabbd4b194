/**
 * What changed a moment ago, by the API's stream of events: views that show it ask their reports again. Nothing is taken
 * from the stream but that something changed; whatever is missed while it is away is asked for when it is back.
 */
import { effect, signal, untracked } from '@preact/signals'
import { sendRequest } from './api.ts'
import { isFresh, isOver, may, renew, session, viewerKey } from './session.ts'

export interface LiveEvent {
  name: string
  data: Readonly<Record<string, unknown>>
}

type Listener = (told: LiveEvent) => void
const listeners = new Set<Listener>()

/** Whether the stream is there, as the header shows it. */
export const liveState = signal<'connecting' | 'live' | 'away'>('connecting')

/** Calls back for every event until the returned function is called. */
export function onLiveEvent(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** An event as it came here, with its place among all that came. */
export interface ReceivedEvent extends LiveEvent {
  place: number
  /** Milliseconds since 1970, by this machine's clock. */
  at: number
}

/** Kept since this page was opened, the newest first. */
export const receivedEvents = signal<readonly ReceivedEvent[]>([])
export const receivedMax = 100
let eventCount = 0

/** Since when the stream is as `liveState` says, milliseconds since 1970. */
export const liveSince = signal(Date.now())

function become(state: typeof liveState.value): void {
  if (liveState.value === state) return
  liveState.value = state
  liveSince.value = Date.now()
}

const tell = (event: LiveEvent): void => {
  receivedEvents.value = [{ ...event, place: ++eventCount, at: Date.now() }, ...receivedEvents.value].slice(
    0,
    receivedMax,
  )
  for (const listener of listeners) listener(event)
}

/** What is shown may be old, though nothing was told. */
export function emitResync(): void {
  for (const listener of listeners) listener({ name: 'resync', data: {} })
}

let over: AbortController | undefined

/** The right of who may hear. */
const requiredPermission = 'service.view'

/** Follows the stream while somebody is signed in who may hear it; begins anew for another person or organization. */
export function follow(): void {
  effect(() => {
    const now = session.value
    const of = now?.orgID && !now.me.needsSecondFactor ? viewerKey(now) : ''
    const isRead = of !== '' && !isOver.value && may(requiredPermission)
    untracked(() => goOn(of, isRead))
  })
}
let streamOwner = ''

function goOn(of: string, isRead: boolean): void {
  const isSame = streamOwner === of
  if (isRead && isSame && over && !over.signal.aborted) return
  over?.abort()
  if (!isSame) receivedEvents.value = []
  streamOwner = of
  if (!isRead) return
  over = new AbortController()
  void run(over.signal, isSame)
}

const pausesMs = [500, 1000, 2000, 4000, 8000]

/** The API says something every 15 s, if only that it is there: a line that is silent for so long is cut, milliseconds. */
const silentMs = 40_000

/** `isAgain`: it was read before, and what was told since is not known. */
async function run(until: AbortSignal, isAgain: boolean): Promise<void> {
  for (let tried = isAgain ? 1 : 0; !until.aborted; tried++) {
    try {
      const began = Date.now()
      await read(until, () => {
        // What happened while nothing was read is not known.
        if (tried > 0) tell({ name: 'resync', data: {} })
        become('live')
      })
      if (Date.now() - began > 10_000) tried = 0
    } catch {
      // Whatever ended it, it is begun anew.
    }
    if (until.aborted) return
    become('away')
    const wait = pausesMs[Math.min(tried, pausesMs.length - 1)]!
    await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())))
  }
}

async function read(until: AbortSignal, opened: () => void): Promise<void> {
  const silent = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const hear = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silent.abort(), silentMs)
  }
  hear()
  try {
    await isFresh()
    const response = await sendRequest('GET /events/stream', { signal: AbortSignal.any([until, silent.signal]) })
    if (response.status === 401) await renew()
    if (!response.ok || !response.body) throw new Error('no stream')
    opened()
    await readAll(response.body, hear)
  } finally {
    clearTimeout(timer)
  }
}

async function readAll(body: ReadableStream<Uint8Array<ArrayBuffer>>, hear: () => void): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let held = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    hear()
    const blocks = (held + value).split(/\r?\n\r?\n/)
    held = blocks.pop() ?? ''
    for (const block of blocks) take(block)
  }
}

function take(block: string): void {
  let name = 'message'
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith('event:')) name = line.slice(6).trim()
    if (line.startsWith('data:')) data.push(line.slice(5).trimStart())
  }
  if (data.length === 0) return
  try {
    tell({ name, data: JSON.parse(data.join('\n')) as LiveEvent['data'] })
  } catch {
    tell({ name: 'resync', data: {} })
  }
}
