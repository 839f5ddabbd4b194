/** Where the page begins: who is signed in, then what is shown. */
import { render } from 'preact'
import { App } from './app.tsx'
import { begin, watchFragment } from './start-session.ts'
import { tick } from './day.ts'
import { loadFirstView } from './frame/view-loader.tsx'
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
loadFirstView()
render(<App />, document.getElementById('console')!)
void begin()
