/**
 * The token of an EKS cluster: a signed but unsent request to STS for one's identity. The cluster sends it and trusts
 * the answer. Source: aws-iam-authenticator, "API Authorization from Outside a Cluster".
 */
import type { AwsCredentialIdentityProvider } from '@smithy/types'
import type { Clock } from '#engine/actor/ports.ts'
import { sdk } from '#streams/cloud/call/sdk.ts'
import type { KubernetesServer } from './api.ts'
import { pemOf } from './kubeconfig.ts'

export interface EksCluster {
  name: string
  region: string
}

const prefix = 'k8s-aws-v1.'
/** Lifetime in the signature; EKS accepts the token for 15 minutes. */
const expiresSeconds = 60
const renewAfterMs = 10 * 60_000

/** STS of the cluster's region and partition. */
const stsOf = (region: string): string => `sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`

/** A token signed at `now`. @throws errors of the credentials provider */
export async function eksToken(
  { name, region }: EksCluster,
  credentials: AwsCredentialIdentityProvider,
  now: Date,
): Promise<string> {
  const { SignatureV4 } = await sdk('@smithy/signature-v4', () => import('@smithy/signature-v4'))
  const { Sha256 } = await sdk('@smithy/core', () => import('@smithy/core/checksum'))
  const hostname = stsOf(region)
  const signer = new SignatureV4({ service: 'sts', region, credentials, sha256: Sha256 })
  const request = {
    method: 'GET',
    protocol: 'https:',
    hostname,
    path: '/',
    query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
    headers: { host: hostname, 'x-k8s-aws-id': name },
  }
  const { query = {} } = await signer.presign(request, {
    expiresIn: expiresSeconds,
    signingDate: now,
  })
  const asked = Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`)
  return `${prefix}${Buffer.from(`https://${hostname}/?${asked.join('&')}`).toString('base64url')}`
}

/** Tokens for one cluster, each used for ten minutes. */
export function eksTokens(
  cluster: EksCluster,
  credentials: AwsCredentialIdentityProvider,
  clock: Clock,
): () => Promise<string> {
  let held: { token: string; at: number } | undefined
  return async () => {
    const now = clock.now()
    if (!held || now - held.at >= renewAfterMs)
      held = { token: await eksToken(cluster, credentials, new Date(now)), at: now }
    return held.token
  }
}

/** A cluster's endpoint as in `DescribeCluster`. */
export interface EksEndpoint extends EksCluster {
  endpoint: string
  /** PEM in base64. */
  caData: string
}

export const eksServer = (
  cluster: EksEndpoint,
  credentials: AwsCredentialIdentityProvider,
  clock: Clock,
): KubernetesServer & { token: () => Promise<string> } => ({
  url: cluster.endpoint,
  ca: pemOf(cluster.caData),
  token: eksTokens(cluster, credentials, clock),
})
