/** Creates a group with resources chosen by hand. */
import { useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import { Act } from '../../part/act.tsx'
import { Copy } from '../../part/copy.tsx'
import { FormProblem, TextField } from '../../part/form.tsx'
import { Panel } from '../../part/panel.tsx'
import { PickResource } from '../../part/pick-resource.tsx'
import { useRequest } from '../../report.ts'

export interface GroupFormProps {
  onClose: () => void
  onDone: (group: { id: string }) => void
}

export function GroupForm({ onClose, onDone }: GroupFormProps) {
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [uids, setUids] = useState<readonly string[]>([])
  const doing = useRequest('POST /resource-groups')
  const body = {
    name: name.trim(),
    ...(description.trim() !== '' && { description: description.trim() }),
    members: uids.map((resourceUID) => ({ resourceUID })),
  }
  const save = (event: Event) => {
    event.preventDefault()
    void doing.run({ body }, onDone)
  }
  return (
    <Panel title="New group">
      <form class="form" onSubmit={save} noValidate>
        <TextField label="Name" value={name} onValue={setName} at="/name" problem={doing.problem} required />
        <TextField
          label="Description"
          value={description}
          onValue={setDescription}
          at="/description"
          problem={doing.problem}
        />
        <PickResource
          label="Resources"
          chosen={uids}
          onPick={(_, uid) => setUids([...uids, uid])}
          onRemove={(uid) => setUids(uids.filter((one) => one !== uid))}
          hint="You can add and remove resources later."
        />
        <FormProblem problem={doing.problem} fields={['/name', '/description']} />
        <p class="bar">
          <Act needs="service.create" type="submit" class="main" disabled={doing.isBusy}>
            {doing.isBusy ? 'Creating…' : 'Create'}
          </Act>{' '}
          <button type="button" onClick={onClose}>
            Cancel
          </button>{' '}
          <Copy label="Copy as curl" text={curlOf('POST /resource-groups', {}, {}, body)} />
        </p>
      </form>
    </Panel>
  )
}
