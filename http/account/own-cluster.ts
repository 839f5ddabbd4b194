/** Accounts that are one cluster, without an account of a cloud. */
import { checkKubeconfig } from '#http/account/kubeconfigs.ts'
import { badInput } from '#http/edge/problem.ts'
import type { Services } from '#http/edge/services.ts'
import type { AccountIdentity } from '#streams/cloud/index.ts'
import { ownClusterShape, type OwnClusterCredentials } from '#streams/cloud/kubernetes/own/account.ts'

/** @throws Fault `invalid` */
export function checkOwnCluster(account: AccountIdentity, { settings }: Pick<Services, 'settings'>): void {
  const { kubeconfig, inCluster } = account.credentials as OwnClusterCredentials
  const refuse = (name: string, code: string, message: string): never => {
    throw badInput({ in: 'body', name, code, message })
  }
  if (!ownClusterShape.test(account.externalId))
    refuse('/externalID', 'pattern', 'must have the form cluster/NAME: letters, digits, and . _ -')
  if ((kubeconfig === undefined) === (inCluster === undefined))
    refuse('/credentials', 'required', 'must have either kubeconfig or inCluster')
  if (inCluster && !settings.kubernetesInCluster)
    refuse(
      '/credentials/inCluster',
      'value',
      'is not allowed: the operator must set KUBERNETES_IN_CLUSTER_ORG to the ID of this organization',
    )
  if (kubeconfig !== undefined) checkKubeconfig('/credentials/kubeconfig', kubeconfig, settings.allowPrivateAddresses)
}
