/**
 * Credentials of an Azure account: an application or a managed identity, and one proof. Only listed members are
 * accepted; none of them names a file, a program or an address.
 */
import { Fault, type Problem } from '#engine/value/fault.ts'
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import { guidShape, proofs, type AzurePrincipal } from '#streams/cloud/azure/permission/principal.ts'
import { readCertificate } from './certificate.ts'
import { azureClouds, azureCloudNames, publicCloud } from './cloud.ts'

const secretMax = 16_384

/** What a value must be; undefined if it is that. */
type Check = (value: unknown) => string | undefined

const isGuid: Check = (value) => (typeof value === 'string' && guidShape.test(value) ? undefined : 'must be a GUID')
const isTrue: Check = (value) => (value === true ? undefined : 'must be true')

const members: Readonly<Record<string, Check>> = {
  tenantID: isGuid,
  clientID: isGuid,
  clientSecret: (value) =>
    typeof value === 'string' && value !== '' && value.length <= secretMax ? undefined : 'must be a secret',
  certificate(value) {
    if (typeof value !== 'string') return 'must be PEM text'
    try {
      readCertificate(value)
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  },
  workloadIdentity: isTrue,
  managedIdentity: isTrue,
  cloud: (value) =>
    typeof value === 'string' && Object.hasOwn(azureClouds, value)
      ? undefined
      : `must be one of ${azureCloudNames.join(', ')}`,
  kubeconfigs: (value) =>
    typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'string')
      ? undefined
      : 'must be kubeconfigs by cluster',
}

/** @throws Fault `invalid` whose problems name the members that are not allowed */
export function readAzureCredentials(credentials: unknown): AzurePrincipal {
  if (typeof credentials !== 'object' || credentials === null || Array.isArray(credentials))
    throw Fault.invalidAt({ path: '', code: 'type', message: 'must be an object' })
  const problems = [...Object.entries(credentials).flatMap(problemOf), ...lacking(credentials)]
  if (problems.length > 0) throw Fault.invalidAt(...problems.slice(0, 20))
  const read = credentials as AzurePrincipal
  return { ...read, tenantID: read.tenantID.toLowerCase(), clientID: read.clientID.toLowerCase() }
}

function problemOf([name, value]: [string, unknown]): Problem[] {
  const check = Object.hasOwn(members, name) ? members[name] : undefined
  const message = check ? check(value) : 'is not allowed'
  if (message === undefined) return []
  return [{ path: `/${escapePointer(name)}`, code: check === isGuid ? 'pattern' : 'value', message }]
}

function lacking(credentials: object): Problem[] {
  const missing = ['tenantID', 'clientID'].filter((name) => !Object.hasOwn(credentials, name))
  const problems = missing.map((name) => ({ path: `/${name}`, code: 'required', message: 'is required' }))
  if (proofs.filter((name) => Object.hasOwn(credentials, name)).length > 1)
    problems.push({ path: '', code: 'oneOf', message: `must have only one of ${proofs.join(', ')}` })
  return problems
}

/** Escaped as in a JSON pointer, and shortened. */
const escapePointer = (name: string): string => name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')

/** @throws a `user_action` fault for invalid credentials */
export function principalOf({ credentials }: Pick<CloudAccount, 'credentials'>): AzurePrincipal {
  try {
    return readAzureCredentials(credentials)
  } catch (error) {
    const fixHint =
      'Set the credentials { tenantID, clientID } of the account, which must be GUIDs, and one of clientSecret, certificate, workloadIdentity and managedIdentity.'
    throw cloudFault('user_action', 'credentials_refused', 'The account has no application.', { fixHint }, error)
  }
}

/** The hosts of the account's cloud. @throws as `principalOf` */
export const hostsOf = (account: Pick<CloudAccount, 'credentials'>) =>
  azureClouds[principalOf(account).cloud ?? publicCloud]
