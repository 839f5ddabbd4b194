/** Limits the size of AWS answers: pages are small, and reading stops beyond the limit. */
import { Transform, type Readable } from 'node:stream'
import { cloudFault } from '#streams/cloud/connector.ts'

/** Maximum bytes of one answer. Streamed answers are limited by their readers. */
export const answerMax = 64 * 2 ** 20

const streamedCommands: ReadonlySet<string> = new Set(['GetObjectCommand'])

interface HandlerOutput {
  response: unknown
}

/** The SDK clients' interface for middleware. */
export interface MiddlewareClient {
  middlewareStack: {
    add: (
      middleware: (next: Next, context: { commandName?: string }) => Next,
      place: { step: 'deserialize'; priority: 'low'; name: string },
    ) => void
  }
}

type Next = (asked: unknown) => Promise<HandlerOutput>

export function boundAnswers({ middlewareStack }: MiddlewareClient, bytesMax = answerMax): void {
  middlewareStack.add(
    (next, { commandName = '' }) =>
      async (asked) => {
        const answered = await next(asked)
        const response = answered.response as { body?: unknown }
        if (isStream(response.body) && !streamedCommands.has(commandName))
          response.body = limitBytes(response.body, bytesMax)
        return answered
      },
    { step: 'deserialize', priority: 'low', name: 'boundAnswers' },
  )
}

const isStream = (body: unknown): body is Readable =>
  typeof body === 'object' && body !== null && 'pipe' in body && typeof body.pipe === 'function'

function limitBytes(body: Readable, bytesMax: number): Readable {
  let bytes = 0
  const counter = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length
      if (bytes <= bytesMax) return done(null, chunk)
      body.destroy()
      done(cloudFault('system', 'answer_too_large', `The response of AWS is larger than ${bytesMax} bytes.`))
    },
  })
  body.on('error', (error) => counter.destroy(error))
  return body.pipe(counter)
}
