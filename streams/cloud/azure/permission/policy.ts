/** The role that the application of a subscription needs, printed from the table of permissions: no more than that. */
import { azurePermissions, blobRead, billContainer } from './permissions.ts'

export interface RoleOptions {
  /** Also what changes something. */
  write?: boolean
  /** Left out, its id is left to be put in. */
  subscription?: string | undefined
  /** `<storage account>/<container>` that holds the bill; left out, its name is left to be put in. */
  container?: string | undefined
}

/** As `az role definition create` takes it. */
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

/** What is stored has a role of its own, at its container alone: Azure has one that may read blobs and nothing else. */
export function roleDefinition({ write = false, subscription = someSubscription }: RoleOptions = {}): RoleDefinition {
  const wanted = azurePermissions.filter(({ access, use }) => use !== 'bills' && (write || access === 'read'))
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

/** What to add to the role for one right, as it takes it. */
export const azureStatement = (name: string): object =>
  name === blobRead ? { DataActions: [name] } : { Actions: [name] }

/** Written for a POSIX shell: JSON of ours has no single quote. */
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
