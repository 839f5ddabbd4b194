/** Maps Lambda functions. */
import type { FunctionConfiguration } from '@aws-sdk/client-lambda'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { listOf, resource, type AwsTags, type Where } from './resource.ts'

export const lambdaFunction = (one: FunctionConfiguration, where: Where, tags: AwsTags): DiscoveredResource[] =>
  resource('aws-lambda', one.FunctionArn, where, {
    name: one.FunctionName,
    tags,
    specs: {
      last_modified: one.LastModified,
      memory_mb: one.MemorySize,
      timeout_seconds: one.Timeout,
      architecture: listOf(one.Architectures)[0],
      runtime: one.Runtime,
      package_type: one.PackageType,
      ephemeral_storage_mb: one.EphemeralStorage?.Size,
    },
  })
