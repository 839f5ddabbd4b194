/** The credentials of each cloud (decision G-20). They are sealed as soon as they are read, and never shown. */
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { bodyInput } from '#http/edge/request/decode.ts'
import { badInput, type InputError } from '#http/edge/problem.ts'
import { cloudProfiles } from '#streams/cloud/profile.ts'
import type { AccountIdentity } from '#streams/cloud/index.ts'
import { isOwnCluster, OwnClusterCredentials } from '#streams/cloud/kubernetes/own/account.ts'
import { providers } from '#streams/names.ts'

/** Any credentials, as a body contains them before its provider is known. */
export const Credentials = t.Object(
  {},
  {
    additionalProperties: true,
    description:
      'aws { roleARN, externalID, kubeconfigs? }, gcp { serviceAccount }, { workloadIdentity } or { attachedIdentity: true }, azure { tenantID, clientID, clientSecret or certificate (PEM) or workloadIdentity: true or managedIdentity: true, cloud?, kubeconfigs? }; for a cluster without a cloud account { kubeconfig } or { inCluster: true }, with prices? { nodes: [{ label, usdHour }], vcpuUsdHour, gibUsdHour, gpuUsdHour }; write-only',
  },
)

const decoders = new Map(providers.map((provider) => [provider, bodyInput(cloudProfiles[provider].credentials)]))
const clusterDecoder = bodyInput(OwnClusterCredentials)

/**
 * Returns `credentials` if they have the shape for the account. @throws Fault `invalid` with members of `/credentials`
 */
export function credentialsOf(
  account: Pick<AccountIdentity, 'provider' | 'externalId'>,
  credentials: unknown,
): unknown {
  try {
    const decode = isOwnCluster(account) ? clusterDecoder : decoders.get(account.provider)!
    return decode(credentials)
  } catch (error) {
    const { detail } = Fault.from(error)
    if (!Array.isArray(detail['errors'])) throw error
    throw badInput(...(detail['errors'] as InputError[]).map((e) => ({ ...e, name: `/credentials${e.name}` })))
  }
}
