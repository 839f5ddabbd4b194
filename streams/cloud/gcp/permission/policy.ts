/** The role that the service account of a project needs, printed from the table of permissions: no more than that. */
import { organizationPermissions } from './organization.ts'
import { gcpPermissions } from './permissions.ts'

/** As `gcloud iam roles create --file` takes it. */
export interface RoleDocument {
  title: string
  description: string
  stage: 'GA'
  includedPermissions: readonly string[]
}

/** `write`: also what changes something. `parent`: also what lists the projects of a folder or an organization. */
export function roleDocument({ write = false, parent }: { write?: boolean; parent?: string } = {}): RoleDocument {
  const lists = parent === undefined ? [] : organizationPermissions
  const wanted = gcpPermissions.filter(({ access }) => write || access === 'read')
  return {
    title: 'Tidemark',
    description: write ? 'What Tidemark reads and changes' : 'What Tidemark reads',
    stage: 'GA',
    includedPermissions: [...new Set([...wanted.flatMap(({ names }) => names), ...lists])].toSorted(),
  }
}

/** Stands for the project until it is named. */
export const anyProject = 'PROJECT'

/**
 * The same by Google's command line, in their order; the last prints the key that the account is connected with. With `parent`,
 * `folders/ID` or `organizations/ID`, the role is given there.
 */
export function roleCommands(role: RoleDocument, project: string = anyProject, parent?: string): string[] {
  const member = `tidemark@${project}.iam.gserviceaccount.com`
  const permissions = role.includedPermissions.join(',')
  const given =
    parent === undefined
      ? [
          `gcloud iam roles create tidemark --project ${project} --title Tidemark --stage GA --permissions ${permissions}`,
          `gcloud projects add-iam-policy-binding ${project} --member serviceAccount:${member} --role projects/${project}/roles/tidemark --condition None`,
        ]
      : organizationCommands({ project, parent, member, permissions })
  return [
    `gcloud iam service-accounts create tidemark --project ${project} --display-name Tidemark`,
    ...given,
    `gcloud iam service-accounts keys create tidemark.json --iam-account ${member}`,
  ]
}

interface OrganizationRole {
  project: string
  parent: string
  member: string
  permissions: string
}

/** A folder can only be given roles of its organization. */
function organizationCommands({ project, parent, member, permissions }: OrganizationRole): string[] {
  const [kind, id] = parent.split('/')
  const isFolder = kind === 'folders'
  const organization = isFolder
    ? `$(gcloud projects get-ancestors ${project} --filter type=organization --format 'value(id)')`
    : id
  return [
    `gcloud services enable cloudresourcemanager.googleapis.com --project ${project}`,
    `gcloud iam roles create tidemark --organization ${organization} --title Tidemark --stage GA --permissions ${permissions}`,
    `gcloud ${isFolder ? 'resource-manager folders' : 'organizations'} add-iam-policy-binding ${id} --member serviceAccount:${member} --role organizations/${organization}/roles/tidemark --condition None`,
  ]
}

export interface FederationOf {
  /** Where Google finds our keys. */
  issuer: string
  /** What our tokens of one organization say. */
  subject: string
  project?: string
}

/** Instead of a key: a pool that takes tokens of one organization of this installation; the last writes what the account is connected with. */
export function federationCommands({ issuer, subject, project = anyProject }: FederationOf): string[] {
  const email = `tidemark@${project}.iam.gserviceaccount.com`
  const number = `$(gcloud projects describe ${project} --format 'value(projectNumber)')`
  const pool = `projects/${number}/locations/global/workloadIdentityPools/tidemark`
  return [
    `gcloud iam workload-identity-pools create tidemark --project ${project} --location global`,
    `gcloud iam workload-identity-pools providers create-oidc tidemark --project ${project} --location global --workload-identity-pool tidemark --issuer-uri ${issuer} --attribute-mapping google.subject=assertion.sub --attribute-condition "assertion.sub=='${subject}'"`,
    `gcloud iam service-accounts add-iam-policy-binding ${email} --project ${project} --role roles/iam.workloadIdentityUser --member "principal://iam.googleapis.com/${pool}/subject/${subject}"`,
    `echo "{\\"type\\":\\"external_account\\",\\"audience\\":\\"//iam.googleapis.com/${pool}/providers/tidemark\\",\\"subject_token_type\\":\\"urn:ietf:params:oauth:token-type:jwt\\",\\"service_account_impersonation_url\\":\\"https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${email}:generateAccessToken\\"}" > tidemark.json`,
  ]
}
