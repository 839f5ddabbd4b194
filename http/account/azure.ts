/** Credentials of Azure: an application or a managed identity in a tenant, both named by GUIDs, for a subscription. */
import { Fault } from '#engine/value/fault.ts'
import { checkKubeconfigs } from '#http/account/kubeconfigs.ts'
import { badInput } from '#http/edge/problem.ts'
import type { Services } from '#http/edge/services.ts'
import { guidShape, proofs, type AzurePrincipal } from '#streams/cloud/azure/permission/principal.ts'
import { readAzureCredentials } from '#streams/cloud/azure/session/credentials.ts'
import type { AccountIdentity } from '#streams/cloud/index.ts'

/** @throws Fault `invalid` */
export function checkPrincipal(
  account: AccountIdentity,
  { cloudOf, settings }: Pick<Services, 'cloudOf' | 'settings'>,
): void {
  const principal = account.credentials as AzurePrincipal
  checkKubeconfigs(principal.kubeconfigs ?? {}, settings.allowPrivateAddresses)
  const at = (name: string, code: string, message: string) => badInput({ in: 'body', name, code, message })
  if (proofs.every((name) => principal[name] === undefined) && !settings.azureFederated)
    throw at(
      '/credentials/clientSecret',
      'required',
      'is required, unless certificate, workloadIdentity or managedIdentity is given',
    )
  if (cloudOf(account).driver !== 'real') return
  try {
    readAzureCredentials(principal)
  } catch (error) {
    const { problems = [] } = Fault.from(error).detail
    throw badInput(
      ...problems.map(({ path, code, message }) => ({
        in: 'body' as const,
        name: `/credentials${path}`,
        code,
        message,
      })),
    )
  }
  if (principal.managedIdentity && !settings.mayUseIdentity?.(principal.clientID))
    throw at(
      '/credentials/managedIdentity',
      'value',
      'is not allowed: the operator must name this organization with this client ID in AZURE_MANAGED_IDENTITIES',
    )
  if (!guidShape.test(account.externalId)) throw at('/externalID', 'pattern', 'must be the GUID of a subscription')
}
