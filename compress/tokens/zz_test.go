package tokens
import ("testing";"time";"math/rand/v2";"os";"unicode")
func TestStress(t *testing.T){
 rng:=rand.New(rand.NewPCG(uint64(time.Now().UnixNano()),1)); end:=time.Now().Add(150*time.Second); n,bytes:=0,0
 var real []string
 for _,f:=range []string{"go","python","json","english","chinese","mixed"}{ b,_:=os.ReadFile("/tmp/tok/real/"+f+".txt"); real=append(real,string(b))}
 for time.Now().Before(end)&&!t.Failed(){
  var s string
  switch rng.IntN(6){
  case 0: b:=make([]byte,rng.IntN(600)); for i:=range b{b[i]=byte(rng.Uint32())}; s=string(b)
  case 1: b:=make([]rune,rng.IntN(300)); for i:=range b{b[i]=rng.Int32N([]int32{0x80,0x250,0x600,0x3000,0xffff,unicode.MaxRune}[rng.IntN(6)])}; s=string(b)
  case 2: r:=real[rng.IntN(len(real))]; k:=rng.IntN(len(r)-3000); s=r[k:k+rng.IntN(3000)]
  case 3: r:=real[rng.IntN(len(real))]; k:=rng.IntN(len(r)-900); b:=[]byte(r[k:k+rng.IntN(900)]); for range rng.IntN(30){ if len(b)>0{b[rng.IntN(len(b))]=byte(rng.Uint32())}}; s=string(b)
  default: s=randomText(rng,200)
  }
  requireEqual(t,s); n++; bytes+=len(s)
 }
 t.Log(n,"texts",bytes,"bytes")
}
