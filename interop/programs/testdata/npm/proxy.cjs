// Makes fetch of Node.js 20 read the variables of a proxy: NODE_OPTIONS=--require=./proxy.cjs
const { EnvHttpProxyAgent, setGlobalDispatcher } = require("undici");
setGlobalDispatcher(new EnvHttpProxyAgent());
