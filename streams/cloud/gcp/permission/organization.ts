/**
 * Every project below a folder or an organization of Google Cloud, with its folders and labels. Folder by folder: a search leaves out
 * what may not be seen and says nothing about it, a list of a folder is refused.
 */
import { t, type Static } from '#engine/value/schema.ts'
import {
  cloudFault,
  type CloudAccount,
  type ListedAccount,
  type OrganizationListing,
} from '#streams/cloud/connector.ts'
import { openGcp, type GcpSession } from '#streams/cloud/gcp/session/session.ts'
import type { GcpOptions } from '#streams/cloud/gcp/session/token.ts'

/** What the service account needs in the folder or organization, to list it. Of a project alone neither can be asked. */
export const organizationPermissions = ['resourcemanager.folders.list', 'resourcemanager.projects.list'] as const

/** Google may give fewer in one page. */
const pageSize = 500
const foldersMax = 10_000

const Folders = t.Object({
  folders: t.Optional(
    t.Array(t.Object({ name: t.String({ pattern: '^folders/\\d{1,20}$' }), displayName: t.Optional(t.String()) })),
  ),
  nextPageToken: t.Optional(t.String()),
})

const Project = t.Object({
  projectId: t.String({ minLength: 1, maxLength: 128 }),
  displayName: t.Optional(t.String()),
  labels: t.Optional(t.Record(t.String(), t.String())),
  state: t.Optional(t.String()),
})
const Projects = t.Object({ projects: t.Optional(t.Array(Project)), nextPageToken: t.Optional(t.String()) })

interface Folder {
  /** `folders/123` or `organizations/123`. */
  name: string
  /** Below the one that is followed: `/Production/Payments`; `/` is that one itself. */
  path: string
}

/** Two lists for each folder, one after the other: Google counts them by the minute. @throws where one of them cannot be read */
export async function projectsOf(
  options: GcpOptions,
  account: CloudAccount,
  parent: string | undefined,
  signal?: AbortSignal,
): Promise<OrganizationListing> {
  if (parent === undefined)
    throw cloudFault('user_action', 'parent_missing', 'No folder or organization of Google Cloud is named.', {
      fixHint: 'Set organization.parent: folders/ID or organizations/ID.',
    })
  const session = openGcp(account, options, signal)
  const found = new Map<string, ListedAccount>()
  const waiting: Folder[] = [{ name: parent, path: '/' }]
  for (let seen = 0; waiting.length > 0; seen++) {
    if (seen >= foldersMax)
      throw cloudFault('system', 'unknown_answer', `${parent} has more than ${foldersMax} folders.`)
    const folder = waiting.shift()!
    for (const project of await projectsIn(session, folder)) found.set(project.externalId, project)
    waiting.push(...(await foldersIn(session, folder)))
  }
  return { managementId: account.externalId, accounts: [...found.values()] }
}

const listOf = (path: '/projects' | '/folders', { name }: Folder) =>
  ({ service: 'cloudresourcemanager', path, query: { parent: name, pageSize } }) as const

/** Those that are to be deleted too: Google keeps them for 30 days. */
async function projectsIn(session: GcpSession, folder: Folder): Promise<ListedAccount[]> {
  const { query, ...list } = listOf('/projects', folder)
  const call = { ...list, query: { ...query, showDeleted: true }, permission: 'resourcemanager.projects.list' }
  const pages = await Array.fromAsync(session.pages(call, Projects))
  return pages.flatMap(({ projects = [] }) => projects.map((project) => toListedAccount(project, folder)))
}

async function foldersIn(session: GcpSession, folder: Folder): Promise<Folder[]> {
  const call = { ...listOf('/folders', folder), permission: 'resourcemanager.folders.list' }
  const pages = await Array.fromAsync(session.pages(call, Folders))
  const above = folder.path === '/' ? '' : folder.path
  return pages.flatMap(({ folders = [] }) =>
    folders.map(({ name, displayName }) => ({
      name,
      path: `${above}/${(displayName || name).replaceAll('/', '-')}`,
    })),
  )
}

const toListedAccount = (
  { projectId, displayName, labels = {}, state = 'ACTIVE' }: Static<typeof Project>,
  { path }: Folder,
) => ({
  externalId: projectId,
  name: displayName || projectId,
  path,
  tags: labels,
  isActive: state === 'ACTIVE',
})

/** A project is asked by the same service account. */
export function serviceAccountOf({ credentials }: CloudAccount): unknown {
  const { serviceAccount, workloadIdentity } = credentials as Record<string, unknown>
  return serviceAccount === undefined ? { workloadIdentity } : { serviceAccount }
}
