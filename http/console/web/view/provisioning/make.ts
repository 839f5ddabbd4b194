/** Makes something: chosen from the catalog, and priced before. */
import { useState } from 'preact/hooks'
import { html } from '../../html.ts'
import type { Reply } from '../../api.ts'
import { change, hrefOf, param } from '../../place.ts'
import type { Problem } from '../../problem.ts'
import { useDoing, useReport } from '../../report.ts'
import { Act } from '../../part/act.ts'
import { CheckField, ChoiceField, Refused, TextField } from '../../part/form.ts'
import { Next } from '../../part/next.ts'
import { Panel } from '../../part/panel.ts'
import { Empty, Shown } from '../../part/state.ts'
import { Asked } from '../../part/sure.ts'
import { configOf, fieldsOf, valueFields, type Field } from './fields.ts'
import { monthText, Priced, type Estimate } from './price.ts'
import { useSpaces } from './use-spaces.ts'
import { kinds, type Job, type Kind, type Space } from './words.ts'

type Component = Reply<'GET /catalog/components/:componentID'>

const isKind = (text: string | undefined): text is Kind => text !== undefined && Object.keys(kinds).includes(text)

export function Make({ onClose, onDone }: { onClose: () => void; onDone: (job: Job) => void }) {
  const { report, spaces } = useSpaces()
  const kind = isKind(param('kind')) ? (param('kind') as Kind) : 'datastore'
  const componentID = param('component')
  const isCluster = kind === 'component'
  const fitting = spaces.filter((space) => space.status === 'active' && isCluster === (space.kind === 'cluster'))
  const chosen = fitting.find(({ id }) => id === param('space')) ?? fitting[0]
  const options = Object.entries(kinds).map(([value, title]) => ({ value, title }))
  return html`<${Panel} title="Make something" tools=${html`<button type="button" onClick=${onClose}>Close</button>`}>
    <div class="row">
      <${ChoiceField} label="What" value=${kind} options=${options} onValue=${(value: string) => change({ kind: value, component: null })} />
      ${fitting.length > 0 && html`<${ChoiceField} label="In the space" value=${chosen?.id ?? ''} options=${fitting.map(({ id, name, region }: Space) => ({ value: id, title: `${name} (${region})` }))} onValue=${(space: string) => change({ space })} />`}
    </div>
    ${report.data && fitting.length === 0 && html`<${NoSpace} isCluster=${isCluster} />`}
    ${isCluster && html`<${Catalog} chosen=${componentID} />`}
    ${chosen && html`<${Chosen} key=${kind} kind=${kind} componentID=${componentID} space=${chosen} onDone=${onDone} />`}
  <//>`
}

const NoSpace = ({ isCluster }: { isCluster: boolean }) =>
  html`<${Empty} title=${isCluster ? 'There is no cluster to install into.' : 'There is no space to make it in.'}><p>${isCluster ? 'It needs a cluster that was made here, or a space of one that is there.' : 'A space is an account in a region.'} <${Next} needs="space.create" what="Making a space"><a href=${hrefOf('provisioning', { tab: 'spaces' })}>Make a space</a><//></p><//>`

interface ChosenProps extends Pick<FormProps, 'kind' | 'space' | 'onDone'> {
  componentID: string | undefined
}

/** The form of what was chosen; a component has a schema of its own. */
function Chosen({ kind, componentID, space, onDone }: ChosenProps) {
  const component = useReport('GET /catalog/components/:componentID', {
    params: { componentID: componentID ?? '' },
    when: kind === 'component' && componentID !== undefined,
  })
  if (kind !== 'component')
    return html`<${Form} kind=${kind} fields=${fieldsOf[kind]} space=${space} onDone=${onDone} />`
  if (componentID === undefined) return null
  return html`<${Shown} report=${component} rows=${3}>${(data: Component) => html`<${Form} key=${data.id} kind=${kind} component=${data} fields=${valueFields(data.values)} space=${space} onDone=${onDone} />`}<//>`
}

type Listed = Reply<'GET /catalog/components'>

function Catalog({ chosen }: { chosen: string | undefined }) {
  const report = useReport('GET /catalog/components')
  return html`<${Shown} report=${report} rows=${3}>${(data: Listed) => html`<ul class="list catalog" aria-label="Components">${data.map(({ id, name, category, version, description }) => html`<li key=${id}><button type="button" aria-pressed=${id === chosen} onClick=${() => change({ component: id })}>${name}</button> <span class="badge">${category}</span> <span class="faint">${version}</span><span class="sub">${description}</span></li>`)}</ul>`}<//>`
}

interface FormProps {
  kind: Kind
  fields: readonly Field[]
  space: Space
  component?: Component
  onDone: (job: Job) => void
}

function Form({ kind, fields, space, component, onDone }: FormProps) {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [end, setEnd] = useState('')
  const [asked, setAsked] = useState('')
  const [isAsked, setIsAsked] = useState(false)
  const estimating = useDoing('POST /provisioning-jobs/estimate')
  const making = useDoing('POST /provisioning-jobs')
  const config = component ? { componentID: component.id, values: configOf(fields, typed) } : configOf(fields, typed)
  const what = { spaceID: space.id, kind, config }
  const body = { ...what, ...(end !== '' && { expiresAt: `${end}T00:00:00Z` }) }
  const isPriced = estimating.done !== undefined && asked === JSON.stringify(what)
  const problem = making.problem ?? estimating.problem
  const price = (event: Event) => {
    event.preventDefault()
    making.clear()
    setAsked(JSON.stringify(what))
    void estimating.run({ body: what })
  }
  const at = component ? '/config/values' : '/config'
  return html`<form class="form" onSubmit=${price} noValidate>
    ${fields.map((field) => html`<${One} key=${field.name} field=${field} value=${typed[field.name] ?? field.first} at=${`${at}/${field.name}`} problem=${problem} onValue=${(value: string) => setTyped({ ...typed, [field.name]: value })} />`)}
    <${TextField} label="Deleted by itself on" type="date" value=${end} onValue=${setEnd} at="/expiresAt" problem=${problem} hint="at the beginning of the day, UTC; never unless given" />
    <${Refused} problem=${problem} fields=${[...fields.map(({ name }) => `${at}/${name}`), '/expiresAt']} />
    ${estimating.done && html`<${Known} isPriced=${isPriced} estimate=${estimating.done} />`}
    <${Bar} isPriced=${isPriced} isBusy=${estimating.isBusy} onMake=${() => setIsAsked(true)} />
    ${
      isAsked &&
      estimating.done &&
      html`<${Asked} operation="POST /provisioning-jobs" body=${body} doing=${making} title=${`Make this ${kinds[kind]}?`} action="Make it" closesOnProblem onDone=${onDone} onClose=${() => setIsAsked(false)}>
      <${Happens} kind=${kind} space=${space} component=${component} estimate=${estimating.done} end=${end} /><//>`
    }
  </form>`
}

const Known = ({ isPriced, estimate }: { isPriced: boolean; estimate: Estimate }) =>
  html`<div class=${isPriced ? 'preview' : 'preview old'}>${!isPriced && html`<p class="note">It was changed since: price it anew.</p>`}<${Priced} estimate=${estimate} /></div>`

const Bar = ({ isPriced, isBusy, onMake }: { isPriced: boolean; isBusy: boolean; onMake: () => void }) =>
  html`<p class="bar"><button type="submit" class=${isPriced ? '' : 'main'} disabled=${isBusy}>${isBusy ? 'Adding up …' : 'Show what it costs'}</button>
    <${Act} needs="provisioning.create" class=${isPriced ? 'main' : ''} disabled=${!isPriced} onClick=${onMake}>Make it …<//>${!isPriced && html`<span class="faint">Its price is shown first.</span>`}</p>`

interface HappensProps extends Pick<FormProps, 'kind' | 'space' | 'component'> {
  estimate: Estimate
  end: string
}

function Happens({ kind, space, component, estimate, end }: HappensProps) {
  const beside = estimate.unknown.length > 0 ? `, beside ${estimate.unknown.join('; ')}` : ''
  const until = end === '' ? '' : `, which happens by itself on ${end}`
  return html`<p>${component ? html`<strong>${component.name}</strong> is installed into` : html`A ${kinds[kind]} is made in`} <strong dir="auto">${space.name}</strong> (${space.provider}, ${space.region}), step by step. Nobody else approves it.</p>
    <p>It costs about <strong>${monthText(estimate)}</strong> by list prices${beside}, until it is deleted${until}.</p>
    <p>It is undone by deleting the job: all that it has made is taken away then.</p>`
}

interface OneProps {
  field: Field
  value: string
  at: string
  problem: Problem | undefined
  onValue: (value: string) => void
}

function One({ field: { label, type, choices = [], hint }, value, at, problem, onValue }: OneProps) {
  const common = { label, at, problem, value, onValue, hint }
  if (type === 'boolean')
    return html`<${CheckField} label=${hint ? html`${label} <span class="faint">${hint}</span>` : label} isOn=${value === 'true'} onValue=${(isOn: boolean) => onValue(String(isOn))} />`
  if (type === 'choice')
    return html`<${ChoiceField} ...${common} options=${choices.map((one) => ({ value: one, title: one }))} />`
  return html`<${TextField} ...${common} rows=${type === 'json' ? 4 : 1} inputMode=${type === 'number' ? 'numeric' : undefined} isCode />`
}
