/** What a role allows, and whose costs it shows. */
import { useReport } from '../../report.ts'
import type { Problem } from '../../problem.ts'
import { CheckField, ChecksField, TextField } from '../../part/form.tsx'

const categories = [
  { name: 'space', about: 'accounts, bills, inventory' },
  { name: 'service', about: 'reports, budgets, rules, actions, notifications' },
  { name: 'provisioning', about: 'infrastructure' },
  { name: 'deployment', about: 'deployments and their plans' },
] as const
const verbs = ['view', 'create', 'update', 'delete'] as const

export interface RoleDraft {
  name: string
  permissions: readonly string[]
  all: boolean
  cloudAccountIDs: readonly string[]
  teamIDs: readonly string[]
}

interface FieldsProps {
  draft: RoleDraft
  set: (changes: Partial<RoleDraft>) => void
}

export function PermissionGrid({ draft, set }: FieldsProps) {
  const { permissions } = draft
  const put = (name: string, isOn: boolean) =>
    set({ permissions: isOn ? [...permissions, name] : permissions.filter((one) => one !== name) })
  return (
    <fieldset class="checks">
      <legend>Permissions</legend>
      <div class="table" tabindex={0} role="region" aria-label="Permissions">
        <table>
          <caption class="unseen">Permissions</caption>
          <thead>
            <tr>
              <th scope="col">Area</th>
              {verbs.map((verb) => (
                <th scope="col" key={verb}>
                  {verb}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {categories.map(({ name, about }) => (
              <tr key={name}>
                <th scope="row">
                  {name}
                  <span class="sub faint">{about}</span>
                </th>
                {verbs.map((verb) => {
                  const permission = `${name}.${verb}`
                  return (
                    <td key={verb}>
                      <label class="check">
                        <input
                          type="checkbox"
                          aria-label={permission}
                          checked={permissions.includes(permission)}
                          onChange={(event: Event) => put(permission, (event.target as HTMLInputElement).checked)}
                        />
                      </label>
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </fieldset>
  )
}

export function ScopeFields({ draft, set, problem }: FieldsProps & { problem: Problem | undefined }) {
  const { all, cloudAccountIDs, teamIDs } = draft
  return (
    <>
      <CheckField
        label="Access to all costs of the organization"
        isOn={all}
        onValue={(isOn: boolean) => set({ all: isOn })}
      />
      {!all && (
        <>
          <Pick
            kind="accounts"
            chosen={cloudAccountIDs}
            onValue={(ids: string[]) => set({ cloudAccountIDs: ids })}
            problem={problem}
          />
          <Pick kind="teams" chosen={teamIDs} onValue={(ids: string[]) => set({ teamIDs: ids })} problem={problem} />
          {cloudAccountIDs.length + teamIDs.length === 0 && (
            <p class="note">Without an account or team, the role shows no costs.</p>
          )}
        </>
      )}
    </>
  )
}

interface PickProps {
  kind: 'accounts' | 'teams'
  chosen: readonly string[]
  onValue: (chosen: string[]) => void
  problem: Problem | undefined
}

/** The first hundred by name; others, and accounts known from bills alone, are typed. */
function Pick({ kind, chosen, onValue, problem }: PickProps) {
  const accounts = useReport('GET /cloud-accounts', { query: { limit: 100 }, when: kind === 'accounts' })
  const teams = useReport('GET /teams', { query: { limit: 100 }, when: kind === 'teams' })
  const listed = (kind === 'accounts' ? accounts.data : teams.data)?.items ?? []
  const options = listed.map(({ id, name }) => ({ value: id, title: name }))
  const known = new Set(options.map(({ value }) => value))
  const others = chosen.filter((id) => !known.has(id))
  const at = kind === 'accounts' ? '/reportScope/cloudAccountIDs' : '/reportScope/teamIDs'
  const type = (text: string) => onValue([...chosen.filter((id) => known.has(id)), ...text.split('\n')])
  return (
    <>
      {options.length > 0 && (
        <ChecksField
          label={kind === 'accounts' ? 'Access to costs of accounts' : 'Access to costs of teams'}
          options={options}
          chosen={chosen}
          onValue={onValue}
        />
      )}
      <TextField
        label={`${options.length > 0 ? 'Other IDs' : 'IDs'} of ${kind}, one per line`}
        rows={2}
        value={others.join('\n')}
        onValue={type}
        at={at}
        problem={problem}
        isCode
      />
    </>
  )
}
