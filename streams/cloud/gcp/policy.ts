/** The role that the service account of a project needs, printed from the table of permissions: no more than that. */
import { gcpPermissions } from './permissions.ts'

/** As `gcloud iam roles create --file` takes it. */
export interface RoleDocument {
  title: string
  description: string
  stage: 'GA'
  includedPermissions: readonly string[]
}

/** `write`: also what changes something. */
export function roleDocument({ write = false }: { write?: boolean } = {}): RoleDocument {
  const wanted = gcpPermissions.filter(({ access }) => write || access === 'read')
  return {
    title: 'Tidemark',
    description: write ? 'What Tidemark looks at and changes' : 'What Tidemark looks at',
    stage: 'GA',
    includedPermissions: [...new Set(wanted.flatMap(({ names }) => names))].toSorted(),
  }
}

/** Stands for the project until it is named. */
export const anyProject = 'PROJECT'

/** The same by Google's command line, in their order; the last prints the key that the account is connected with. */
export function roleCommands(role: RoleDocument, project: string = anyProject): string[] {
  const member = `tidemark@${project}.iam.gserviceaccount.com`
  return [
    `gcloud iam service-accounts create tidemark --project ${project} --display-name Tidemark`,
    `gcloud iam roles create tidemark --project ${project} --title Tidemark --stage GA --permissions ${role.includedPermissions.join(',')}`,
    `gcloud projects add-iam-policy-binding ${project} --member serviceAccount:${member} --role projects/${project}/roles/tidemark --condition None`,
    `gcloud iam service-accounts keys create tidemark.json --iam-account ${member}`,
  ]
}
