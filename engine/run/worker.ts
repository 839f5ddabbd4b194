/**
 * Runs work on a separate thread that would otherwise block the process's event loop. Inputs and results are copied.
 * Batches that the thread has not taken yet are limited; a thread that continues after its signal is terminated.
 * An idle thread waits a minute for the next input, because loading its module may take seconds.
 */
import { parentPort, Worker } from 'node:worker_threads'

/** The module of a thread: `begin` gets the input, `take` each batch, and `end` returns the result. */
export interface Work<B, A> {
  take(batch: B): void
  end(): A
}

type ThreadReply<A> = { taken: true } | { answer: A } | { failure: { message: string; stack: string | undefined } }

/** Maximum batches sent to a thread and not taken yet. */
const aheadMax = 16

/** Idle threads by module; maximum number, and maximum wait in milliseconds. */
const idle = new Map<string, { worker: Worker; forget: () => void }[]>()
const idleMax = 2
const idleMs = 60_000

function takeThread(module: URL): Worker {
  const kept = idle.get(module.href)?.pop()
  kept?.forget()
  kept?.worker.ref()
  return kept?.worker ?? new Worker(module)
}

function keepThread(module: URL, worker: Worker): void {
  const kept = idle.get(module.href) ?? []
  idle.set(module.href, kept)
  if (kept.length >= idleMax) return void worker.terminate()
  const drop = () => {
    kept.splice(
      kept.findIndex((one) => one.worker === worker),
      1,
    )
    forget()
    void worker.terminate()
  }
  const timer = setTimeout(drop, idleMs).unref()
  const forget = () => {
    clearTimeout(timer)
    worker.off('exit', drop).off('error', drop)
  }
  worker.once('exit', drop).once('error', drop).unref()
  kept.push({ worker, forget })
}

/**
 * Runs the module on a thread until it returns its result.
 * @throws the reason of the signal, what `batches` throws, or what the module threw
 */
export async function onThread<I, B, A>(
  module: URL,
  input: I,
  batches: AsyncIterable<B>,
  signal: AbortSignal,
): Promise<A> {
  signal.throwIfAborted()
  const worker = takeThread(module)
  const thread = new Thread<A>(worker, signal)
  let isFree = false
  try {
    await thread.give({ begin: input })
    for await (const batch of batches) await thread.give({ batch })
    await thread.give({ end: true })
    const answer = await thread.answer
    isFree = true
    return answer
  } finally {
    thread.leave()
    if (isFree) keepThread(module, worker)
    else await worker.terminate()
  }
}

class Thread<A> {
  /** Never an unhandled rejection: `give` reports the error first. */
  readonly answer: Promise<A>
  /** Removes the listeners from the thread. */
  readonly leave: () => void
  private ahead = 0
  private readonly worker: Worker
  private readonly signal: AbortSignal
  private free: () => void = () => {}

  constructor(worker: Worker, signal: AbortSignal) {
    this.worker = worker
    this.signal = signal
    const { promise, resolve, reject } = Promise.withResolvers<A>()
    this.answer = promise
    promise.catch(() => this.free())
    const abort = () => reject(signal.reason as Error)
    const end = () => reject(new Error('The thread ended before it had answered.'))
    const take = (told: ThreadReply<A>) => {
      if ('answer' in told) resolve(told.answer)
      else if ('failure' in told) reject(Object.assign(new Error(told.failure.message), { stack: told.failure.stack }))
      else this.ahead--
      this.free()
    }
    signal.addEventListener('abort', abort, { once: true })
    worker.on('message', take).on('error', reject).on('exit', end)
    this.leave = () => {
      signal.removeEventListener('abort', abort)
      worker.off('message', take).off('error', reject).off('exit', end)
    }
  }

  /** Resolves once the thread can take more. */
  async give(message: object): Promise<void> {
    this.signal.throwIfAborted()
    this.worker.postMessage(message)
    this.ahead++
    while (this.ahead >= aheadMax) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.free = resolve
      await Promise.race([promise, this.answer])
      this.signal.throwIfAborted()
    }
  }
}

/**
 * For the module of a thread: processes batches as they arrive, for one input after the other. If it throws, the error
 * is sent back and the thread ends.
 */
export function serve<I, B, A>(begin: (input: I) => Work<B, A>): void {
  const port = parentPort!
  let work: Work<B, A>
  const take = (message: { begin: I } | { batch: B } | { end: true }): object => {
    if ('end' in message) return { answer: work.end() }
    if ('begin' in message) work = begin(message.begin)
    else work.take(message.batch)
    return { taken: true }
  }
  port.on('message', (message: { begin: I } | { batch: B } | { end: true }) => {
    try {
      port.postMessage(take(message))
    } catch (error) {
      const { message: text, stack } = error as Error
      port.postMessage({ failure: { message: text, stack } })
      port.close()
    }
  })
}
