/** The minimal role for a project's service account, generated from the table of permissions. */
import { organizationPermissions } from './organization.ts'
import { gcpPermissions } from './permissions.ts'

/** In the format of `gcloud iam roles create --file`. Does not include what a bucket grants. */
export interface RoleDocument {
  title: string
  description: string
  stage: 'GA'
  includedPermissions: readonly string[]
}

/** `write`: include write permissions. `parent`: include listing the projects of a folder or organization. */
export function roleDocument({ write = false, parent }: { write?: boolean; parent?: string } = {}): RoleDocument {
  const lists = parent === undefined ? [] : organizationPermissions
  const wanted = gcpPermissions.filter(({ access, resources }) => !resources && (write || access === 'read'))
  return {
    title: 'Tidemark',
    description: write ? 'What Tidemark reads and changes' : 'What Tidemark reads',
    stage: 'GA',
    includedPermissions: [...new Set([...wanted.flatMap(({ names }) => names), ...lists])].toSorted(),
  }
}

/** Placeholder for the project. */
export const anyProject = 'PROJECT'

interface RoleOptions {
  project?: string
  /** `folders/ID` or `organizations/ID` where the role is granted. */
  parent?: string | undefined
  /** Bucket with exported bills that may be read. */
  bucket?: string | undefined
}

/** The role as `gcloud` commands, in order. The last prints the key for connecting the account. */
export function roleCommands(role: RoleDocument, { project = anyProject, parent, bucket }: RoleOptions = {}): string[] {
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
    ...(bucket === undefined
      ? []
      : [
          `gcloud storage buckets add-iam-policy-binding gs://${bucket} --member serviceAccount:${member} --role roles/storage.objectViewer`,
        ]),
    `gcloud iam service-accounts keys create tidemark.json --iam-account ${member}`,
  ]
}

interface OrganizationRole {
  project: string
  parent: string
  member: string
  permissions: string
}

/** Folders only accept roles of their organization. */
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
  /** Address where Google finds our keys. */
  issuer: string
  /** The subject of our tokens for one organization. */
  subject: string
  project?: string
}

/**
 * Commands for a workload identity pool in place of a key: it accepts tokens of one organization of this installation.
 * The last writes the credentials for connecting the account.
 */
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
