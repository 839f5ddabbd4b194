/** AWS, as it is. */
export { openAws } from './open.ts'
