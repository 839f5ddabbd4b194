/** A stream that can be read twice: what was read of it is kept until it is known whether it has to be. */
import { Readable } from 'node:stream'
import { chunksOf, spoolToFile } from './spool.ts'

/** A temporary copy of a stream. */
export interface KeptStream {
  /** The whole stream, from the beginning; can be read several times. */
  open: () => Readable
  /** The same for the last time: the copy is gone when it ends. */
  openLast: () => Readable
  close: () => void
}

export class RecordedStream {
  /** The stream, to be read once. */
  readonly stream: Readable
  private readonly rest: AsyncIterator<Buffer | string>
  private read: Buffer[] | undefined = []
  private last: Promise<Buffer | undefined> = Promise.resolve(undefined)
  private isTaken = false

  constructor(input: Readable) {
    this.rest = input[Symbol.asyncIterator]() as AsyncIterator<Buffer | string>
    this.stream = Readable.from(this.chunks(), { objectMode: false })
  }

  private async *chunks(): AsyncGenerator<Buffer, void> {
    while (!this.isTaken) {
      const chunk = await this.next()
      if (chunk === undefined) return
      yield chunk
    }
  }

  private next(): Promise<Buffer | undefined> {
    this.last = this.rest.next().then(({ done, value }) => {
      if (done) return undefined
      const chunk = typeof value === 'string' ? Buffer.from(value) : value
      this.read?.push(chunk)
      return chunk
    })
    return this.last
  }

  /** It will not be kept. */
  forget(): void {
    this.read = undefined
  }

  /** Writes all of it to a temporary file, also what has been read. `stream` must be closed. */
  async keep(): Promise<KeptStream> {
    const bytes = await spoolToFile(this.all())
    let isOpen = true
    const close = () => {
      if (isOpen) void bytes.close()
      isOpen = false
    }
    const open = () => Readable.from(chunksOf(bytes), { objectMode: false })
    return { open, openLast: () => Readable.from(closing(chunksOf(bytes), close), { objectMode: false }), close }
  }

  private async *all(): AsyncGenerator<Buffer, void> {
    this.isTaken = true
    await this.last
    const read = this.read ?? []
    this.read = undefined
    yield* read
    for (let chunk = await this.next(); chunk !== undefined; chunk = await this.next()) yield chunk
  }
}

async function* closing(chunks: AsyncIterable<Buffer>, close: () => void): AsyncGenerator<Buffer, void> {
  try {
    yield* chunks
  } finally {
    close()
  }
}
