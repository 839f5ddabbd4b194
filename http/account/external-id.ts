/**
 * External ids, which the roles in an organization's AWS accounts require, so that no other tenant can use them
 * (decision G-20).
 */
import { t } from '#engine/value/schema.ts'
import { badInput } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { checkKubeconfigs } from '#http/account/kubeconfigs.ts'
import { roleShape, type AwsRole } from '#streams/cloud/aws/permission/role.ts'
import type { AccountIdentity } from '#streams/cloud/index.ts'

/**
 * Checks that real AWS credentials name a role of the account itself, with an external id of the organization:
 * otherwise one tenant could make the service assume the role of another.
 * @throws Fault `invalid`
 */
export function checkRole(
  account: AccountIdentity,
  { cloudOf, externalIds, settings }: Pick<Services, 'cloudOf' | 'externalIds' | 'settings'>,
): void {
  const { roleARN, externalID, kubeconfigs = {} } = account.credentials as AwsRole
  checkKubeconfigs(kubeconfigs, settings.allowPrivateAddresses)
  if (cloudOf(account).driver !== 'real') return
  const at = (name: keyof AwsRole, code: string, message: string) =>
    badInput({ in: 'body', name: `/credentials/${name}`, code, message })
  const [, , owner] = roleShape.exec(roleARN) ?? []
  if (owner === undefined) throw at('roleARN', 'pattern', 'must have the form arn:aws:iam::123456789012:role/tidemark')
  if (owner !== account.externalId)
    throw at('roleARN', 'value', `is a role of account ${owner}, not of ${account.externalId}`)
  if (!externalIds().includes(externalID))
    throw at('externalID', 'value', 'must be the external ID of this organization: see GET /cloud-accounts/external-id')
}

export const externalIdRoutes: readonly Route[] = [
  route({
    tags: ['Cloud accounts'],
    method: 'GET',
    path: '/cloud-accounts/external-id',
    summary: "Get the external ID for the trust policies of this organization's AWS roles",
    description:
      "The same for all accounts of the organization. Add it to the role's trust policy as condition sts:ExternalId before you connect the account.",
    permission: 'space.view',
    reply: t.Object({ externalID: t.String({ examples: ['tidemark-4f1c0b7a9d3e5f60718293a4b5c6d7e8'] }) }),
    handle: async (_, { externalIds }) => ({ externalID: externalIds()[0]! }),
  }),
]
