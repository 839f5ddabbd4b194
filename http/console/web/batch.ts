/** Requests that start together go out as one: what each is answered is the same, and comes as soon as it is ready. */
import { addressOf } from './address.ts'
import { away } from './problem.ts'

export interface BatchedRequest {
  /** Where it would be requested alone. */
  url: URL
  token: string
  signal: AbortSignal | undefined
  /** Requests it alone, for where there are too few to be put together. */
  alone: () => Promise<Response>
}

interface Waiting extends BatchedRequest {
  resolve: (response: Response) => void
  reject: (error: unknown) => void
}

/** A browser sends fewer at once by itself, and each alone can be found in its log. */
const partsMin = 4
/** As many as the API takes. */
const partsMax = 40

let waiting: Waiting[] = []

/** The response as `alone` would get it. */
export function requestTogether(request: BatchedRequest): Promise<Response> {
  return new Promise((resolve, reject) => {
    waiting.push({ ...request, resolve, reject })
    if (waiting.length === 1) setTimeout(flush)
  })
}

function flush(): void {
  const all = waiting.filter(({ signal }) => !signal?.aborted)
  for (const { signal, reject } of waiting) if (signal?.aborted) reject(signal.reason)
  waiting = []
  for (const parts of Map.groupBy(all, ({ token }) => token).values()) {
    if (parts.length < partsMin) for (const one of parts) one.alone().then(one.resolve, one.reject)
    else for (let at = 0; at < parts.length; at += partsMax) void requestBatch(parts.slice(at, at + partsMax))
  }
}

async function requestBatch(parts: readonly Waiting[]): Promise<void> {
  const left = new Set(parts)
  const over = new AbortController()
  for (const part of parts)
    part.signal?.addEventListener('abort', () => {
      part.reject(part.signal!.reason)
      left.delete(part)
      if (left.size === 0) over.abort()
    })
  try {
    const root = addressOf('POST /batch')
    const response = await fetch(root, {
      method: 'POST',
      headers: { Authorization: `Bearer ${parts[0]!.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ paths: parts.map(({ url }) => pathOf(url, root)) }),
      signal: over.signal,
    })
    if (response.ok && response.body) {
      for await (const line of linesOf(response.body)) {
        const answer = JSON.parse(line) as Line
        const part = parts[answer.index]!
        // Some may hold secrets: the API answers these alone.
        if (answer.body?.code === 'not_batchable') part.alone().then(part.resolve, part.reject)
        else part.resolve(toResponse(answer))
        left.delete(part)
      }
    } else for (const part of left) part.resolve(response.clone())
  } catch {
    // What follows finds nothing answered.
  }
  for (const part of left) part.reject(away())
}

/** As the API takes it, wherever its paths begin. */
const pathOf = (url: URL, batch: URL): string =>
  `/${url.pathname.slice(batch.pathname.length - 'batch'.length)}${url.search}`

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const lines = (rest + value).split('\n')
    rest = lines.pop()!
    yield* lines
  }
}

interface Line {
  index: number
  status: number
  headers: Record<string, string>
  body: { code?: string } | null
}

const toResponse = ({ status, headers, body }: Line): Response =>
  status === 204 ? new Response(null, { status }) : Response.json(body, { status, headers })
