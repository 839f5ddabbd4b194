/** Maps S3 buckets. */
import type { Bucket, LifecycleRule, ServerSideEncryptionRule } from '@aws-sdk/client-s3'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { listOf, resource, timeOf, type AwsTags, type Where } from './resource.ts'

/** Data of a bucket from separate calls; undefined if the call is not permitted. */
export interface BucketMore {
  tags?: AwsTags
  versioning?: string | undefined
  lifecycle?: readonly LifecycleRule[] | undefined
  encryption?: readonly ServerSideEncryptionRule[] | undefined
  isPublic?: boolean | undefined
  isTlsOnly?: boolean | undefined
}

/** `where` has the bucket's region. */
export const bucket = (one: Bucket, where: Where, more: BucketMore): DiscoveredResource[] =>
  resource('aws-s3-bucket', one.Name && (one.BucketArn ?? bucketArn(one.Name, where)), where, {
    name: one.Name,
    tags: more.tags,
    specs: {
      created_at: timeOf(one.CreationDate),
      versioning: more.versioning,
      public: more.isPublic,
      tls_only: more.isTlsOnly,
      ...lifecycleSpecs(more.lifecycle),
      ...encryptionSpecs(more.encryption),
    },
  })

function bucketArn(name: string, { region }: Where): string {
  const partition = region.startsWith('cn-') ? 'aws-cn' : region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws'
  return `arn:${partition}:s3:::${name}`
}

function lifecycleSpecs(rules: readonly LifecycleRule[] | undefined): Record<string, unknown> {
  if (rules === undefined) return {}
  const enabled = rules.filter(({ Status }) => Status === 'Enabled')
  return {
    lifecycle_rule_count: enabled.length,
    abort_multipart_rule: enabled.some((rule) => rule.AbortIncompleteMultipartUpload),
    noncurrent_rule: enabled.some(
      (rule) => rule.NoncurrentVersionExpiration ?? listOf(rule.NoncurrentVersionTransitions)[0],
    ),
    tiering_rule: enabled.some((rule) => listOf(rule.Transitions).length > 0),
  }
}

function encryptionSpecs(rules: readonly ServerSideEncryptionRule[] | undefined): Record<string, unknown> {
  const [rule] = rules ?? []
  if (!rule) return {}
  return {
    encryption: rule.ApplyServerSideEncryptionByDefault?.SSEAlgorithm,
    bucket_key_enabled: rule.BucketKeyEnabled,
  }
}
