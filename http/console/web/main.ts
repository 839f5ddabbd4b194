/** Where the page begins: who is signed in, then what is shown. */
import { render } from 'preact'
import { App } from './app.ts'
import { begin, watchFragment } from './start-session.ts'
import { tick } from './day.ts'
import { html } from './html.ts'
import { follow } from './live.ts'
import { watchLinks } from './router.ts'
import { watchOthers } from './session.ts'
import { watchTheme } from './theme.ts'

watchTheme()
tick()
watchLinks()
follow()
watchFragment()
watchOthers()
render(html`<${App} />`, document.getElementById('console')!)
void begin()
