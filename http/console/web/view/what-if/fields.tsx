/** Fields as they are declared, each with what the API says of it. */
import { CheckField, TextField } from '../../part/form.tsx'
import type { Problem } from '../../problem.ts'
import type { ChangeDraft, Field } from './draft.ts'

export interface FieldsProps {
  fields: readonly Field[]
  draft: ChangeDraft
  set: (path: string, text: string) => void
  problem: Problem | undefined
  /** Own figures of a rule, by path. */
  placeholders?: Readonly<Record<string, string>>
}

export const placeOf = ({ path }: Field): string => `/change/${path}`

export const Fields = ({ fields, draft, set, problem, placeholders = {} }: FieldsProps) => (
  <div class="fields">
    {fields.map((field) => {
      const { path, title, as, hint } = field
      const value = draft[path] ?? ''
      if (as === 'flag')
        return (
          <CheckField
            key={path}
            label={title}
            isOn={value === 'true'}
            onValue={(isOn: boolean) => set(path, isOn ? 'true' : '')}
          />
        )
      return (
        <TextField
          key={path}
          label={title}
          value={value}
          onValue={(text: string) => set(path, text)}
          at={placeOf(field)}
          problem={problem}
          hint={hint}
          rows={as === 'list' ? 2 : as === 'json' ? 3 : 1}
          isCode={as === 'json'}
          inputMode={as === 'number' ? 'decimal' : undefined}
          placeholder={placeholders[path]}
        />
      )
    })}
  </div>
)
