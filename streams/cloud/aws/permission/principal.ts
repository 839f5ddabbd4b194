/** Our own AWS identity before assuming roles, which trust policies must name. */
import type { AwsOptions } from '#streams/cloud/aws/session/session.ts'
import { globalRegion } from '#streams/cloud/aws/session/session.ts'
import { sdk } from '#streams/cloud/call/sdk.ts'

/** For an assumed role, trust policies name the role itself. */
const principalOf = (arn: string): string =>
  arn.replace(/^arn:(aws[\w-]*):sts::(\d+):assumed-role\/([^/]+)\/.*$/, 'arn:$1:iam::$2:role/$3')

/** The ARN of this process's identity; undefined if it has none, or AWS cannot be reached. */
export async function ownPrincipal({
  endpoint,
  base,
}: Pick<AwsOptions, 'endpoint' | 'base'>): Promise<string | undefined> {
  try {
    const { fromNodeProviderChain } = await sdk(
      '@aws-sdk/credential-providers',
      () => import('@aws-sdk/credential-providers'),
    )
    const { STSClient, GetCallerIdentityCommand } = await sdk(
      '@aws-sdk/client-sts',
      () => import('@aws-sdk/client-sts'),
    )
    const client = new STSClient({
      region: globalRegion,
      credentials: base ?? fromNodeProviderChain(),
      maxAttempts: 1,
      ...(endpoint !== undefined && { endpoint }),
    })
    const { Arn } = await client.send(new GetCallerIdentityCommand({}), { abortSignal: AbortSignal.timeout(5000) })
    client.destroy()
    return Arn === undefined ? undefined : principalOf(Arn)
  } catch {
    return undefined
  }
}
