/** Checks account input of each cloud before any request is sent there. */
import type { Fault } from '#engine/value/fault.ts'
import { checkPrincipal } from '#http/account/azure.ts'
import { checkRole } from '#http/account/external-id.ts'
import { checkOwnCluster } from '#http/account/own-cluster.ts'
import { checkGoogle } from '#http/account/google.ts'
import { badInput } from '#http/edge/problem.ts'
import type { Services } from '#http/edge/services.ts'
import { billPlaceShape, scopeShape } from '#streams/cloud/azure/bill/location.ts'
import type { AzurePrincipal } from '#streams/cloud/azure/permission/principal.ts'
import { azureClouds, publicCloud } from '#streams/cloud/azure/session/cloud.ts'
import { placeShape } from '#streams/cloud/gcp/bill/location.ts'
import type { AccountIdentity } from '#streams/cloud/index.ts'
import { isOwnCluster } from '#streams/cloud/kubernetes/own/account.ts'
import type { Provider } from '#streams/names.ts'

type CheckServices = Pick<Services, 'cloudOf' | 'externalIds' | 'settings'>

const credentials: Readonly<Record<Provider, (account: AccountIdentity, asked: CheckServices) => void>> = {
  aws: checkRole,
  gcp: checkGoogle,
  azure: checkPrincipal,
}

/** @throws Fault `invalid` with the members of the credentials, or the account's own id */
export const checkCredentials = (account: AccountIdentity, asked: CheckServices): void =>
  isOwnCluster(account) ? checkOwnCluster(account, asked) : credentials[account.provider](account, asked)

const billPlaces: Readonly<Record<Provider, { shape: RegExp; like: string }>> = {
  aws: {
    shape: /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/(?!.*\.\.)[\w!*'()./=+@ -]*)?$/,
    like: 's3://bucket/prefix',
  },
  gcp: {
    shape: new RegExp(
      `${placeShape.source}|^gs:\\/\\/[a-z0-9][a-z0-9._-]{1,220}[a-z0-9](\\/(?!.*\\.\\.)[\\w!*'()./=+@ -]*)?$`,
    ),
    like: 'bigquery://project/dataset or gs://bucket/prefix',
  },
  azure: {
    shape: new RegExp(`${billPlaceShape.source}|${scopeShape.source}`),
    like: 'https://account.blob.core.windows.net/container/directory or /subscriptions/ID',
  },
}

/** Whether the bills of an account are in a place they can be read from. @throws Fault `invalid` */
export function checkBillPlace(
  account: AccountIdentity,
  place: { location: string } | null | undefined,
  { cloudOf }: Pick<Services, 'cloudOf'>,
): void {
  if (place && isOwnCluster(account))
    throw badInput({
      in: 'body',
      name: '/billingExport',
      code: 'value',
      message: 'must be omitted: a cluster without a cloud account has no bill',
    })
  const { shape, like } = billPlaces[account.provider]
  if (!place || cloudOf(account).driver !== 'real') return
  if (!shape.test(place.location)) throw wrongPlace('pattern', `must have the form ${like}`)
  if (account.provider === 'azure' && account.credentials !== null)
    checkAzureCloud(account.credentials as AzurePrincipal, place.location)
}

/** @throws Fault `invalid` for a container in another cloud than the account */
function checkAzureCloud({ cloud = publicCloud }: AzurePrincipal, location: string): void {
  const [, , root] = billPlaceShape.exec(location) ?? []
  const { blobs } = azureClouds[cloud]
  if (root === undefined || root === blobs) return
  throw wrongPlace('value', `must be in the cloud of the account, ${cloud}: its containers are at names below ${blobs}`)
}

const wrongPlace = (code: string, message: string): Fault =>
  badInput({ in: 'body', name: '/billingExport/location', code, message })
