/**
 * Work that would keep the loop of the process from everything else, on a thread of its own. What it is given and answers is copied.
 * Batches that the thread has not taken yet are bounded; a thread that goes on past its signal is ended, whatever it is doing.
 */
import { parentPort, Worker, workerData } from 'node:worker_threads'

/** What the module of a thread does: `begin` with the input, `take` each batch, and `end` with the answer. */
export interface Work<B, A> {
  take(batch: B): void
  end(): A
}

type Told<A> = { taken: true } | { answer: A } | { failure: { message: string; stack: string | undefined } }

/** Batches on their way to a thread. */
const aheadMax = 16

/**
 * Runs the module on a thread until it has answered.
 * @throws the reason of the signal, what `batches` throws, or what the module threw
 */
export async function onThread<I, B, A>(
  module: URL,
  input: I,
  batches: AsyncIterable<B>,
  signal: AbortSignal,
): Promise<A> {
  signal.throwIfAborted()
  const worker = new Worker(module, { workerData: input })
  const thread = new Thread<A>(worker, signal)
  try {
    for await (const batch of batches) await thread.give({ batch })
    await thread.give({ end: true })
    return await thread.answer
  } finally {
    thread.leave()
    await worker.terminate()
  }
}

class Thread<A> {
  /** Never unhandled: whoever waits for it is told by `give` first. */
  readonly answer: Promise<A>
  private ahead = 0
  private readonly worker: Worker
  private readonly signal: AbortSignal
  private free: () => void = () => {}
  private readonly abort: () => void

  constructor(worker: Worker, signal: AbortSignal) {
    this.worker = worker
    this.signal = signal
    const { promise, resolve, reject } = Promise.withResolvers<A>()
    this.answer = promise
    promise.catch(() => this.free())
    this.abort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', this.abort, { once: true })
    worker.on('message', (told: Told<A>) => {
      if ('answer' in told) resolve(told.answer)
      else if ('failure' in told) reject(Object.assign(new Error(told.failure.message), { stack: told.failure.stack }))
      else this.ahead--
      this.free()
    })
    worker.on('error', reject)
    worker.on('exit', () => reject(new Error('The worker thread exited before it responded.')))
  }

  /** Resolves once the thread has room for more. */
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

  leave(): void {
    this.signal.removeEventListener('abort', this.abort)
  }
}

/** For the module of a thread: does its work as batches come. What it throws is told, and ends it. */
export function serve<I, B, A>(begin: (input: I) => Work<B, A>): void {
  const port = parentPort!
  const telling = (work: () => void): void => {
    try {
      work()
    } catch (error) {
      const { message, stack } = error as Error
      port.postMessage({ failure: { message, stack } })
      port.close()
    }
  }
  telling(() => {
    const work = begin(workerData as I)
    port.on('message', (message: { batch: B } | { end: true }) =>
      telling(() => {
        if ('end' in message) return port.postMessage({ answer: work.end() })
        work.take(message.batch)
        port.postMessage({ taken: true })
      }),
    )
  })
}
