/** Reports as views use them: asked, kept while the view is left for another, asked again when something changed. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { refetchAll } from './refetch.ts'
import { ask, isChange, type ApiResponse, type RequestOptions, type Meta, type Operation, type Reply } from './api.ts'
import { addressOf, type Query } from './address.ts'
import { onLiveEvent } from './live.ts'
import { problemOf, type Problem } from './problem.ts'
import { session, viewerKey } from './session.ts'

export interface Report<T> {
  /** What was answered last: kept while it is asked again. */
  data: T | undefined
  meta: Meta | undefined
  total: number | undefined
  problem: Problem | undefined
  isAsking: boolean
  /** How it was asked, for who wants the same. */
  operation: Operation
  given: RequestOptions
  again: () => void
}

/** Answers remembered, so that a view that was left is there at once; always asked again. */
const answerCache = new Map<string, ApiResponse<unknown>>()
const cacheMax = 60

let cacheOwner = ''
/** Nothing stays for another person, or in another organization. */
session.subscribe((now) => {
  if (cacheOwner !== viewerKey(now)) answerCache.clear()
  cacheOwner = viewerKey(now)
})

function keep(key: string, answer: ApiResponse<unknown>): void {
  answerCache.delete(key)
  answerCache.set(key, answer)
  if (answerCache.size > cacheMax) answerCache.delete(answerCache.keys().next().value!)
}

/** Changes that come close together are one. */
const settleMs = 150

export interface ReportOptions {
  params?: Readonly<Record<string, string>>
  query?: Query
  /** Of questions that are posted: a preview changes nothing. */
  body?: unknown
  /** Events that make it old, by their names or the beginnings of these. */
  on?: readonly string[]
  /** Undefined where there is nothing to be asked yet. */
  when?: boolean
}

const nothing = { data: undefined, meta: undefined, total: undefined }

/** What is asked, by whom, of which organization. */
const keyOf = (operation: Operation, { params, query, body }: RequestOptions): string =>
  [viewerKey(), operation, addressOf(operation, params, query).href, JSON.stringify(body) ?? ''].join(' ')

export function useReport<O extends Operation>(
  operation: O,
  { params, query, body, on = [], when = true }: ReportOptions = {},
): Report<Reply<O>> {
  const given: RequestOptions = {
    ...(params && { params }),
    ...(query && { query }),
    ...(body !== undefined && { body }),
  }
  const key = keyOf(operation, given)
  const [, drawn] = useState(0)
  const [round, setRound] = useState(0)
  const state = useRef<{
    key: string
    answer: ApiResponse<Reply<O>> | undefined
    problem: Problem | undefined
    isAsking: boolean
  }>(undefined!)
  if (state.current?.key !== key) {
    const answer = answerCache.get(key) as ApiResponse<Reply<O>> | undefined
    state.current = { key, answer, problem: undefined, isAsking: when }
  }
  const again = () => setRound((n) => n + 1)
  useEffect(() => {
    if (!when) return
    const over = new AbortController()
    const mine = state.current
    mine.isAsking = true
    ask(operation, { ...given, signal: over.signal })
      .then((answer) => {
        keep(key, answer)
        Object.assign(mine, { answer, problem: undefined })
      })
      .catch((error: unknown) => {
        if (over.signal.aborted) return
        mine.problem = problemOf(error)
        // What is gone is not shown as if it were there.
        if (mine.problem.status !== 404) return
        answerCache.delete(key)
        mine.answer = undefined
      })
      .finally(() => {
        if (over.signal.aborted) return
        mine.isAsking = false
        drawn((n) => n + 1)
      })
    return () => over.abort()
  }, [key, round, when])
  useLiveEvents(['resync', ...on], again)
  const { answer, problem, isAsking } = state.current
  const { data, meta, total } = answer ?? nothing
  return { data, meta, total, problem, isAsking, operation, given, again }
}

/** Calls back, once for what comes close together, when an event of these names was told. */
function useLiveEvents(names: readonly string[], then: () => void): void {
  const latest = useRef(then)
  latest.current = then
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = onLiveEvent(({ name }) => {
      if (timer !== undefined || !names.some((one) => name.startsWith(one))) return
      timer = setTimeout(() => {
        timer = undefined
        latest.current()
      }, settleMs)
    })
    return () => {
      end()
      clearTimeout(timer)
    }
  }, [names.join(' ')])
}

export interface RequestState<T> {
  isBusy: boolean
  problem: Problem | undefined
  done: T | undefined
  /** Resolves with undefined where it failed: the problem is shown. `then` is called where it did not, whatever is answered. */
  run: (given: RequestOptions, then?: (data: T) => void) => Promise<T | undefined>
  clear: () => void
}

/** A change a person asks for: one at a time, its problem kept until the next. */
export function useRequest<O extends Operation>(operation: O): RequestState<Reply<O>> {
  const [state, setState] = useState<{ isBusy: boolean; problem?: Problem; done?: Reply<O> }>({ isBusy: false })
  const run = async (given: RequestOptions, then?: (data: Reply<O>) => void) => {
    if (state.isBusy) return undefined
    setState({ isBusy: true })
    try {
      const onTrying = (problem: Problem) => setState({ isBusy: true, problem })
      const { data } = await ask(operation, { ...given, onTrying })
      setState({ isBusy: false, done: data })
      then?.(data)
      if (isChange(operation)) refetchAll()
      return data
    } catch (error) {
      const problem = problemOf(error)
      setState({ isBusy: false, problem })
      // Somebody else was there before.
      if (isChange(operation) && (problem.status === 404 || problem.status === 409)) refetchAll()
      return undefined
    }
  }
  const clear = () => setState({ isBusy: false })
  return { isBusy: state.isBusy, problem: state.problem, done: state.done, run, clear }
}
