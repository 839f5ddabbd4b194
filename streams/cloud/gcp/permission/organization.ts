/**
 * All projects below a folder or organization of Google Cloud, with folders and labels. Lists folder by folder: a
 * search would silently omit what may not be seen, while listing a folder is refused.
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

/** Permissions in the folder or organization for listing it. They cannot be tested on a project. */
export const organizationPermissions = ['resourcemanager.folders.list', 'resourcemanager.projects.list'] as const

/** Google may return fewer per page. */
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
  /** Path below the followed folder: `/Production/Payments`; `/` is the folder itself. */
  path: string
}

/**
 * Makes two lists per folder, one after another, because Google limits them per minute.
 * @throws if one of them cannot be read
 */
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

/** Includes projects that are being deleted, which Google keeps for 30 days. */
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

/** Projects of the organization use the same service account. */
export function serviceAccountOf({ credentials }: CloudAccount): unknown {
  const given = credentials as Record<string, unknown>
  const names = ['serviceAccount', 'workloadIdentity', 'attachedIdentity']
  return Object.fromEntries(names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])))
}
