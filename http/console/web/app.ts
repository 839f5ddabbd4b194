/** The frame around every view: menu, organization, what is live, and who is signed in. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { waiting } from './api.ts'
import { html } from './html.ts'
import { liveState } from './live.ts'
import { hrefOf, place } from './place.ts'
import { problemOf, type Problem } from './problem.ts'
import { may, renew, session, signOut } from './session.ts'
import { Keys, watchKeys } from './part/keys.ts'
import { ReceiptDrawer } from './part/receipt.ts'
import { SignIn } from './part/sign-in.ts'
import { Empty, Failed, Loading } from './part/state.ts'
import { switchTheme, theme } from './theme.ts'
import { views, type View } from './view/index.ts'

export function App() {
  const now = session.value
  if (now === undefined) return html`<main class="alone"><${Loading} rows=${4} /></main>`
  if (now === null) return html`<${SignIn} />`
  return html`<${Frame} />`
}

function Frame() {
  useEffect(watchKeys, [])
  const { view: name } = place.value
  const view = views.find((one) => one.name === name)
  useEffect(() => {
    document.title = `${view?.title ?? 'Not found'} · Tidemark`
  }, [view])
  return html`<div class="frame">
    <a class="skip" href="#view" onClick=${toView}>To the view</a>
    <${Menu} now=${name} />
    <div class="page">
      <${Head} />
      ${waiting.value !== '' && html`<p class="waiting" role="status">${waiting.value === 'limited' ? 'Your organization asks faster than its limit; it goes on in a moment.' : 'Tidemark cannot be reached; what you see may be old. It is tried again by itself.'}</p>`}
      <main id="view" tabindex="-1" key=${session.value?.orgID}>${session.value?.orgID ? html`<${Opened} view=${view} key=${name} />` : html`<${NoOrganization} />`}</main>
    </div>
    <${ReceiptDrawer} />
    <${Keys} />
  </div>`
}

function toView(event: Event): void {
  event.preventDefault()
  document.getElementById('view')?.focus()
}

const NoOrganization = () =>
  html`<${Empty} title="You are in no organization yet."><p>Ask somebody to invite your address, or make one: <code>POST /organisations</code>, or <code>npm run -s tidemark -- org create NAME</code>.</p><//>`

/** A view's modules are loaded when it is first opened. */
function Opened({ view }: { view: View | undefined }) {
  const [loaded, setLoaded] = useState<ComponentType | undefined>()
  const [problem, setProblem] = useState<Problem | undefined>()
  useEffect(() => {
    view?.load().then(
      (module) => setLoaded(() => module.View),
      (error: unknown) => renewed(error, setProblem),
    )
  }, [view])
  if (!view)
    return html`<${Empty} title="There is no such view."><p><a href=${hrefOf('overview')}>To the overview</a></p><//>`
  if (!may(view.permission)) return html`<${Lacking} view=${view} />`
  if (problem) return html`<${Failed} problem=${problem} again=${() => location.reload()} />`
  return loaded ? html`<${loaded} />` : html`<${Loading} />`
}

/** A file that is gone is of a version that was replaced: the page is loaded anew, once. */
function renewed(error: unknown, show: (problem: Problem) => void): void {
  const at = Number(sessionStorage.getItem('renewed') ?? 0)
  if (Date.now() - at < 60_000) return show(problemOf(error))
  sessionStorage.setItem('renewed', String(Date.now()))
  location.reload()
}

const Lacking = ({ view }: { view: View }) =>
  html`<${Empty} title=${`Your role does not show ${view.title.toLowerCase()}.`}>
    <p>It needs the right <code>${view.permission}</code>; your role is <strong>${session.value?.me.role}</strong>. An administrator of your organization can give it to you.</p>
  <//>`

function Menu({ now }: { now: string }) {
  const shown = views.filter(({ hidden }) => !hidden)
  const groups = [...Map.groupBy(shown, ({ group }) => group)]
  return html`<nav class="menu" aria-label="Views">
    <a class="brand" href=${hrefOf('overview')}><span class="mark" aria-hidden="true"></span>Tidemark</a>
    ${groups.map(
      ([group, some]) => html`<h2>${group}</h2>
        <ul>${some.map(({ name, title, permission }) => html`<li key=${name}><a href=${hrefOf(name)} aria-current=${name === now ? 'page' : undefined} class=${may(permission) ? '' : 'lacking'}>${title}</a></li>`)}</ul>`,
    )}
  </nav>`
}

const live = { live: 'Live: changes show at once', connecting: 'Connecting …', away: 'Not live: trying again' }

function Head() {
  const { tenants, orgID, user, me } = session.value!
  const enter = (event: Event) => {
    void renew((event.target as HTMLSelectElement).value)
  }
  return html`<header class="head">
    ${
      tenants.length > 1
        ? html`<label><span class="unseen">Organization</span><select onChange=${enter}>${tenants.map(({ id, name }) => html`<option value=${id} selected=${id === orgID}>${name}</option>`)}</select></label>`
        : html`<strong class="clip">${tenants[0]?.name ?? ''}</strong>`
    }
    <span class=${`live ${liveState.value}`} role="status" title=${live[liveState.value]}><span class="dot" aria-hidden="true"></span>${liveState.value}</span>
    <span class="tools">
      <button type="button" class="quiet" onClick=${switchTheme} aria-label=${`Use the ${theme.value === 'dark' ? 'light' : 'dark'} theme`}>${theme.value === 'dark' ? 'Light' : 'Dark'}</button>
      <details class="who"><summary>${user.name || user.email}</summary><div class="pop"><p>${user.email}</p><p class="faint">role: ${me.role || 'none'}</p><button type="button" onClick=${signOut}>Sign out</button></div></details>
    </span>
  </header>`
}
