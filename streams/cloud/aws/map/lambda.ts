/** Maps Lambda functions. */
import type { FunctionConfiguration } from '@aws-sdk/client-lambda'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { listOf, resource, type AwsTags, type Where } from './resource.ts'

/** Data of a function from separate calls; undefined if the call is not permitted. */
export interface FunctionMore {
  tags?: AwsTags
  /** Over all versions and aliases. */
  provisioned?: number | undefined
  isScaled?: boolean | undefined
  isPublic?: boolean | undefined
  /** How callers of its URL prove who they are; null without a URL. */
  urlAuth?: string | null | undefined
}

export const lambdaFunction = (one: FunctionConfiguration, where: Where, more: FunctionMore): DiscoveredResource[] =>
  resource('aws-lambda', one.FunctionArn, where, {
    name: one.FunctionName,
    tags: more.tags,
    specs: {
      last_modified: one.LastModified,
      memory_mb: one.MemorySize,
      timeout_seconds: one.Timeout,
      architecture: listOf(one.Architectures)[0],
      runtime: one.Runtime,
      package_type: one.PackageType,
      ephemeral_storage_mb: one.EphemeralStorage?.Size,
      provisioned_concurrency: more.provisioned,
      provisioned_autoscaling: more.isScaled,
      public_policy: more.isPublic,
      url_auth_type: more.urlAuth,
    },
  })
