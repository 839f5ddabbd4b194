/** Objects in S3 below a prefix, read with the credentials of this process; for the command line. */
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import { sdk } from '#streams/cloud/call/sdk.ts'
import { objectsMax, type StoredObject } from '#streams/cloud/bill/stored-object.ts'
import { placeOfBucket, regionOfBucket } from './export.ts'
import { objectBytes } from './object.ts'
import { AwsSession, type AwsOptions } from '#streams/cloud/aws/session/session.ts'

/** @throws a `cloudFault`: faults of S3, or `billing_export_invalid` for an invalid location */
export async function objectsInS3(
  options: AwsOptions,
  account: CloudAccount,
  location: string,
): Promise<StoredObject[]> {
  const { fromNodeProviderChain } = await sdk(
    '@aws-sdk/credential-providers',
    () => import('@aws-sdk/credential-providers'),
  )
  const session = new AwsSession(account, options, { credentials: options.base ?? fromNodeProviderChain() })
  const { bucket, prefix: Prefix } = placeOfBucket(location)
  const region = await regionOfBucket(session, bucket)
  const found: StoredObject[] = []
  const pages = session.pages(
    's3',
    region,
    (m, ContinuationToken) =>
      new m.ListObjectsV2Command({ Bucket: bucket, Prefix, ...(ContinuationToken && { ContinuationToken }) }),
    ({ NextContinuationToken }) => NextContinuationToken,
  )
  for await (const { Contents = [] } of pages) {
    for (const { Key: key = '', LastModified: at = new Date(0) } of Contents)
      if (!key.endsWith('/')) found.push({ key, at, open: async () => objectBytes(session, { bucket, region, key }) })
    if (found.length > objectsMax)
      throw cloudFault('user_action', 'billing_export_invalid', `The location has more than ${objectsMax} objects.`, {
        fixHint: 'Use the folder of the export.',
      })
  }
  return found
}
