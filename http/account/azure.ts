/** Credentials of Azure: an application in a tenant, both named by GUIDs, for a subscription. */
import { checkKubeconfigs } from '#http/account/kubeconfigs.ts'
import { badInput } from '#http/edge/problem.ts'
import type { Services } from '#http/edge/services.ts'
import { guidShape, type AzurePrincipal } from '#streams/cloud/azure/permission/principal.ts'
import type { AccountIdentity } from '#streams/cloud/index.ts'

/** @throws Fault `invalid` */
export function checkPrincipal(
  account: AccountIdentity,
  { cloudOf, settings }: Pick<Services, 'cloudOf' | 'settings'>,
): void {
  const principal = account.credentials as AzurePrincipal
  checkKubeconfigs(principal.kubeconfigs ?? {}, settings.allowPrivateAddresses)
  const at = (name: string, code: string, message: string) => badInput({ in: 'body', name, code, message })
  if (principal.clientSecret === undefined && !settings.azureFederated)
    throw at('/credentials/clientSecret', 'required', 'must have required properties clientSecret')
  if (cloudOf(account).driver !== 'real') return
  for (const name of ['tenantID', 'clientID'] as const)
    if (!guidShape.test(principal[name])) throw at(`/credentials/${name}`, 'pattern', 'must be a GUID')
  if (!guidShape.test(account.externalId)) throw at('/externalID', 'pattern', 'must be the GUID of a subscription')
}
