/** Objects in S3, with the role of an account, or with an access key that was given for the bucket. */
import { createHash } from 'node:crypto'
import { decoder, t } from '#engine/value/schema.ts'
import { Fault } from '#engine/value/fault.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { keysMax, type ObjectStore, type StorePlace } from '#streams/delivery/object-store.ts'
import { openAws } from './session/open.ts'
import { AwsSession, globalRegion, type AwsOptions } from './session/session.ts'

const AccessKey = t.Object({ accessKeyID: t.String(), secretAccessKey: t.String() })
const decodeKey = decoder(AccessKey)

const hasKey = (credentials: unknown): boolean =>
  typeof credentials === 'object' && credentials !== null && 'accessKeyID' in credentials

function sessionOf(options: AwsOptions, account: CloudAccount, signal?: AbortSignal): AwsSession {
  if (!hasKey(account.credentials)) return openAws(account, options, signal)
  const { accessKeyID: accessKeyId, secretAccessKey } = decodeKey(account.credentials)
  return new AwsSession(account, options, { credentials: async () => ({ accessKeyId, secretAccessKey }) }, signal)
}

export function s3Store(
  options: AwsOptions,
  account: CloudAccount,
  { bucket: Bucket, region = globalRegion }: StorePlace,
  signal?: AbortSignal,
): ObjectStore {
  const session = sessionOf(options, account, signal)
  return {
    async put(Key, { body: Body, media: ContentType }) {
      // S3 refuses content that arrives changed.
      const ChecksumSHA256 = createHash('sha256').update(Body).digest('base64')
      await session.ask('s3', region, (m) => new m.PutObjectCommand({ Bucket, Key, Body, ContentType, ChecksumSHA256 }))
    },
    async keys(Prefix) {
      const keys: string[] = []
      const pages = session.pages(
        's3',
        region,
        (m, ContinuationToken) => new m.ListObjectsV2Command({ Bucket, Prefix, ContinuationToken }),
        ({ NextContinuationToken }) => NextContinuationToken,
      )
      for await (const { Contents = [] } of pages) {
        keys.push(...Contents.flatMap(({ Key }) => Key ?? []))
        if (keys.length >= keysMax) break
      }
      return keys
    },
    async remove(Key) {
      try {
        await session.ask('s3', region, (m) => new m.DeleteObjectCommand({ Bucket, Key }))
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== 'not_found') throw error
      }
    },
    close: () => session.close(),
  }
}
