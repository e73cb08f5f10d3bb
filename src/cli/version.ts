export { packageVersion } from '../core/version';
