/**
 * Reads objects of S3 in ranges. A range that was not received completely is requested again; all ranges are of the
 * same version of the object.
 */
import { Readable } from 'node:stream'
import { Fault } from '#engine/value/fault.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import { rangesWithin } from '#streams/cloud/bill/stored-object.ts'
import { retries } from '#streams/retry.ts'
import { isWord } from '#streams/cloud/aws/session/fault.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'

export interface ObjectAt {
  bucket: string
  region: string
  key: string
}

/** Maximum bytes of objects that are read as a whole. */
const textBytesMax = 64 * 1024 * 1024

/** Streams an object's bytes in order. */
export const objectBytes = (session: AwsSession, object: ObjectAt): Readable =>
  Readable.from(rangesOf(session, object), { objectMode: false })

export async function objectText(session: AwsSession, object: ObjectAt): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of rangesOf(session, object)) {
    if ((size += part.length) > textBytesMax)
      throw cloudFault('user_action', 'bill_unreadable', `${object.key} is larger than ${textBytesMax} bytes.`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

async function* rangesOf(session: AwsSession, { bucket, region, key }: ObjectAt): AsyncGenerator<Buffer> {
  const place = { Bucket: bucket, Key: key }
  const { ContentLength: size = 0, ETag } = await session.ask('s3', region, (m) => new m.HeadObjectCommand(place))
  for (const [first, last] of rangesWithin(size)) {
    const Range = `bytes=${first}-${last}`
    const part = { ...place, Range, ...(ETag !== undefined && { IfMatch: ETag }) }
    yield await rangeOf(session, region, part)
  }
}

/** @throws `bill_replaced` of bucket `transient` if the object was replaced meanwhile */
async function rangeOf(
  session: AwsSession,
  region: string,
  part: { Bucket: string; Key: string; Range: string; IfMatch?: string },
): Promise<Buffer> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { Body } = await session.ask('s3', region, (m) => new m.GetObjectCommand(part))
      return Buffer.from((await Body?.transformToByteArray()) ?? [])
    } catch (error) {
      session.signal?.throwIfAborted()
      if (isWord(error, /^(PreconditionFailed|412)$/))
        throw cloudFault(
          'transient',
          'bill_replaced',
          `${part.Key} was overwritten while it was being read.`,
          {},
          error,
        )
      // The session has already retried its faults.
      if (error instanceof Fault) throw error
      if (attempt >= retries.billRange.tries)
        throw cloudFault('transient', 'cloud_unavailable', `${part.Key} was not received completely.`, {}, error)
    }
  }
}
