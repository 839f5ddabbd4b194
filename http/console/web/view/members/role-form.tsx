/** Creates or changes a role of the organization. */
import { ask } from '../../api.ts'
import { useReport } from '../../report.ts'
import { Form } from '../../part/form/form.tsx'
import type { FormField } from '../../part/form/field.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import type { Role } from './role-options.ts'
import { PermissionGrid, ScopeFields, type RoleDraft } from './role-fields.tsx'

interface RoleFormProps {
  /** Undefined: one is created. */
  id: string | undefined
  onClose: () => void
  onDone: () => void
}

const startDraft = (role: Role | undefined): RoleDraft => ({
  name: role?.name ?? '',
  permissions: role?.permissions ?? ['service.view', 'space.view'],
  all: role?.reportScope.all ?? true,
  cloudAccountIDs: role?.reportScope.cloudAccountIDs ?? [],
  teamIDs: role?.reportScope.teamIDs ?? [],
})

const bodyOf = ({ name, permissions, ...reportScope }: RoleDraft) => ({ name, permissions, reportScope })

const fieldsOf = (draft: RoleDraft, set: (changes: Partial<RoleDraft>) => void): FormField<RoleDraft>[] => [
  { name: 'name', label: 'Name', isRequired: true },
  { at: '/permissions', show: () => <PermissionGrid draft={draft} set={set} /> },
  { at: '/reportScope', show: (problem) => <ScopeFields draft={draft} set={set} problem={problem} /> },
]

export function RoleForm({ id, onClose, onDone }: RoleFormProps) {
  const params = { roleID: id ?? '' }
  const report = useReport('GET /roles/:roleID', { params, when: id !== undefined })
  const form = (role: Role | undefined) => (
    <Form
      noun="role"
      thing={role}
      begun={startDraft}
      look={async () => (await ask('GET /roles/:roleID', { params })).data}
      fields={fieldsOf}
      labels={{ all: 'All costs', cloudAccountIDs: 'Accounts', teamIDs: 'Teams' }}
      body={bodyOf}
      create="POST /roles"
      update="PATCH /roles/:roleID"
      params={role && params}
      needs={{ create: 'admin', update: 'admin' }}
      note="Changes apply from the next request of each member with this role, in all open sessions. You can change it again."
      onClose={onClose}
      onDone={() => {
        onDone()
        onClose()
      }}
    />
  )
  return id === undefined ? form(undefined) : <ReportContent report={report}>{form}</ReportContent>
}
