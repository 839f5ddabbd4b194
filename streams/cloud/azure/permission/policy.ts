/** The minimal role for the application of a subscription, generated from the table of permissions. */
import { azureClouds, type AzureCloud } from '#streams/cloud/azure/session/cloud.ts'
import { azurePermissions, blobRead, billContainer } from './permissions.ts'

export interface RoleOptions {
  /** Include write permissions. */
  write?: boolean
  /** Id of the subscription; if missing, the role has a placeholder. */
  subscription?: string | undefined
  /** `<storage account>/<container>` of the bill; if missing, the commands have a placeholder. */
  container?: string | undefined
}

/** In the format of `az role definition create`. */
export interface RoleDefinition {
  Name: string
  IsCustom: true
  Description: string
  Actions: readonly string[]
  NotActions: readonly string[]
  DataActions: readonly string[]
  NotDataActions: readonly string[]
  AssignableScopes: readonly string[]
}

const someSubscription = 'YOUR-SUBSCRIPTION-ID'
const roleName = 'Tidemark'

/** Reading the bill needs a separate role, only for its container: Azure has a built-in one for reading blobs. */
export function roleDefinition({ write = false, subscription = someSubscription }: RoleOptions = {}): RoleDefinition {
  const wanted = azurePermissions.filter(
    ({ access, names }) => !names.includes(blobRead) && (write || access === 'read'),
  )
  return {
    Name: write ? `${roleName} read and write` : `${roleName} read`,
    IsCustom: true,
    Description: write ? 'What Tidemark reads and changes' : 'What Tidemark reads',
    Actions: [...new Set(wanted.flatMap(({ names }) => names))].toSorted(),
    NotActions: [],
    DataActions: [],
    NotDataActions: [],
    AssignableScopes: [`/subscriptions/${subscription}`],
  }
}

const billRole = { name: 'Storage Blob Data Reader', right: blobRead } as const

/** What to add to the role for one permission. */
export const azureStatement = (name: string): object =>
  name === blobRead ? { DataActions: [name] } : { Actions: [name] }

/** For a POSIX shell: our JSON contains no single quotes. */
export function roleCommands(options: RoleOptions = {}): string[] {
  const role = roleDefinition(options)
  const { subscription = someSubscription, container = billContainer } = options
  const scope = `/subscriptions/${subscription}`
  const [account = '', name = ''] = container.split('/')
  return [
    `az role definition create --role-definition '${JSON.stringify(role)}'`,
    `az ad sp create-for-rbac --name tidemark --role '${role.Name}' --scopes ${scope}`,
    `az role assignment create --assignee CLIENT-ID --role '${billRole.name}' --scope "$(az storage account show --name ${account} --query id --output tsv)/blobServices/default/containers/${name}"`,
  ]
}

interface FederationOf {
  issuer: string
  subject: string
  cloud: AzureCloud
}

/** Lets the application trust the tokens of one organization, instead of a secret. */
export function federationCommands({ issuer, subject, cloud }: FederationOf): string[] {
  const trust = { name: 'tidemark', issuer, subject, audiences: [azureClouds[cloud].tokenExchange] }
  return [`az ad app federated-credential create --id CLIENT-ID --parameters '${JSON.stringify(trust)}'`]
}
