/** Renames a saved view, or says who sees it. */
import { useState } from 'preact/hooks'
import { html } from '../../html.ts'
import { curlOf } from '../../address.ts'
import { useDoing } from '../../report.ts'
import { Copy } from '../../part/copy.ts'
import { ChoiceField, Refused, TextField } from '../../part/form.ts'
import { Panel } from '../../part/panel.ts'
import { nameHint, savedChanged, whom, type SavedView } from '../../part/saved.ts'

export function Edit({ saved, onClose }: { saved: SavedView; onClose: () => void }) {
  const [name, setName] = useState(saved.name)
  const [shared, setShared] = useState<string>(saved.shared)
  const doing = useDoing('PATCH /saved-views/:savedViewID')
  const params = { savedViewID: saved.id }
  const body = { name: name.trim(), ...(shared !== saved.shared && { shared }) }
  const submit = (event: Event) => {
    event.preventDefault()
    void doing.run({ params, body }, () => {
      savedChanged()
      onClose()
    })
  }
  return html`<${Panel} title="Change the saved view">
    <form class="form" onSubmit=${submit} noValidate>
      <${TextField} label="Name" value=${name} onValue=${setName} at="/name" problem=${doing.problem} hint=${nameHint(name)} required />
      ${
        saved.isMine
          ? html`<${ChoiceField} label="Seen by" value=${shared} onValue=${setShared} options=${whom()} at="/shared" problem=${doing.problem} hint=${saved.shared === 'organization' && shared === 'me' && 'Others lose it from their menu, and their schedules of it are switched off when they are due.'} />`
          : html`<p class="faint">It is the organization’s, made by somebody else: only its name can be changed here.</p>`
      }
      <${Refused} problem=${doing.problem} fields=${['/name', '/shared']} />
      <p class="bar"><button type="submit" class="main" disabled=${doing.isBusy}>Save</button> <button type="button" onClick=${onClose}>Cancel</button> <${Copy} label="Copy as curl" text=${curlOf('PATCH /saved-views/:savedViewID', params, {}, body)} /></p>
    </form>
  <//>`
}
